import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listCreatableTypes } from '../api/imports.ts';
import { usePageSession } from '../console/company.ts';
import { Missing } from '../console/Missing.tsx';
import { Place, Section, usePlaceSearch, Waiting } from '../console/Place.tsx';
import { t } from '../texts/places-set-up.ts';
import { Checklist } from './set-up/Checklist.tsx';
import { ImportFile, importSectionId, LatestImports } from './set-up/ImportFile.tsx';
import { InvitePeople } from './set-up/InvitePeople.tsx';
import { OneImport } from './set-up/OneImport.tsx';

/** What an empty company needs: its first rows, by forms or from a spreadsheet, and its people. */
export default function SetUpPlace() {
  return usePageSession().role === 'admin' ? <SetUp /> : <Missing />;
}

function SetUp() {
  const [{ resource = '', import: importId }, setSearch] = usePlaceSearch<'resource' | 'import'>();
  const { data: creatable, error } = useQuery({
    queryKey: ['api', 'creatable'],
    queryFn: listCreatableTypes,
    staleTime: Infinity,
  });
  if (!creatable) return <Waiting error={error} />;
  const open = (next: { readonly resource?: string; readonly import?: string }) => {
    setSearch({ resource: next.resource ?? '', import: next.import ?? '' });
    const section = document.getElementById(importSectionId);
    section?.scrollIntoView({ block: 'start' });
    section?.focus({ preventScroll: true });
  };
  return (
    <Place title={t('setUp')}>
      <Stack gap="xl">
        <Checklist creatable={creatable} onImport={(type) => open({ resource: type })} />
        <div id={importSectionId} tabIndex={-1}>
          <Section title={t('importAFile')}>
            <Text mb="xs">{t('rowsOfASpreadsheetXLSXOr')}</Text>
            {importId ? (
              <OneImport key={importId} id={importId} onClose={() => open({})} />
            ) : (
              <ImportFile
                creatable={creatable}
                type={resource}
                onType={(type) => setSearch({ resource: type })}
                onSent={(id) => open({ import: id })}
              />
            )}
            <LatestImports current={importId} onOpen={(id) => open({ import: id })} />
          </Section>
        </div>
        <InvitePeople />
      </Stack>
    </Place>
  );
}
