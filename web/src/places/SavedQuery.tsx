import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Answer } from '../answers/Answer.tsx';
import { readSaved, savedQueriesQuery, savedVariables } from '../answers/answer.ts';
import { ChartEditor } from '../answers/ChartEditor.tsx';
import { type Chart, chartOf } from '../answers/charts.ts';
import { DownloadButtons } from '../answers/DownloadButtons.tsx';
import type { ReadQuery } from '../answers/document.ts';
import type { Source } from '../answers/links.ts';
import { PlaceMenu } from '../answers/PlaceMenu.tsx';
import type { Part } from '../answers/parts.ts';
import { ResultChart } from '../answers/ResultChart.tsx';
import { ResultTable } from '../answers/ResultTable.tsx';
import { ScheduleForm } from '../answers/ScheduleForm.tsx';
import { useSourceDefinition, useTextOf } from '../answers/text.ts';
import { VariablesForm } from '../answers/VariablesForm.tsx';
import { type SavedQuery as Saved, saveQuery } from '../api/saved-queries.ts';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { Missing } from '../console/Missing.tsx';
import { showDone, showProblem } from '../console/notices.tsx';
import { Place, Section, Waiting } from '../console/Place.tsx';
import { usePlaceSearch } from '../console/place-search.ts';
import { t } from '../texts/answers.ts';

/** A saved query and its answer. */
export default function SavedQuery() {
  const { id = '' } = useParams({ strict: false });
  const { data, error } = useQuery(savedQueriesQuery);
  if (!data) return error ? <Waiting error={error} /> : <LoadingSkeleton />;
  const saved = data.find((each) => each.id === id);
  return saved ? <Shown key={id} saved={saved} /> : <Missing />;
}

function Shown({ saved }: { readonly saved: Saved }) {
  const query = readSaved(saved);
  return (
    <Place title={saved.name} aside={<a href={`/graphql?saved=${saved.id}`}>{t('openInGraphiQL')}</a>}>
      {!saved.isMine && <Text size="sm">{t('sharedBySavedByYouSeeWhat', { savedBy: saved.savedBy })}</Text>}
      {query ? (
        <>
          <Parts saved={saved} query={query} />
          {saved.isMine && (
            <Section title={t('sentByEmail')}>
              <ScheduleForm saved={saved} />
            </Section>
          )}
        </>
      ) : (
        <Alert title={t('thisIsNoQuery')}>{t('itChangesOrFollowsDataWhich2')}</Alert>
      )}
    </Place>
  );
}

type Values = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the address says: other variables than those that were saved. */
const parseSearch = ({ variables }: Values): { readonly variables?: Values } =>
  isObject(variables) ? { variables } : {};

function Parts({ saved, query }: { readonly saved: Saved; readonly query: ReadQuery }) {
  const [search, setSearch] = usePlaceSearch(parseSearch);
  const variables = search.variables ?? savedVariables(saved);
  const missing = query.variables.filter(({ name, isRequired }) => isRequired && variables[name] === undefined);
  return (
    <Stack>
      {query.variables.length > 0 && (
        <VariablesForm
          // What the address says is what the form shows.
          key={JSON.stringify(variables)}
          variables={query.variables}
          values={variables}
          onRun={(next) => setSearch({ variables: next })}
        />
      )}
      {missing.length > 0 ? (
        <Text>{t('chooseTheVariablesAndRunThe')}</Text>
      ) : (
        <Answer saved={saved} query={query} variables={variables}>
          {(parts, sourceOf) => (
            <Stack>
              <DownloadButtons saved={saved} query={query} variables={variables} />
              {parts.map((part) => (
                <OnePart key={part.place} saved={saved} part={part} source={sourceOf(part)} />
              ))}
            </Stack>
          )}
        </Answer>
      )}
    </Stack>
  );
}

function OnePart({
  saved,
  part,
  source,
}: {
  readonly saved: Saved;
  readonly part: Part;
  readonly source: Source | undefined;
}) {
  const definition = useSourceDefinition(source);
  const textOf = useTextOf(source, definition);
  const [chosen, setChosen] = useState<Chart>();
  const chart = chosen ?? chartOf(part, saved.charts);
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => {
      const { id, name, query, variables, isShared } = saved;
      const charts = [...saved.charts.filter((each) => each.part !== part.place), chart];
      return saveQuery({ name, query, variables, isShared, charts }, id);
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: savedQueriesQuery.queryKey });
      setChosen(undefined);
      showDone(t('savedTheChart'));
    },
    onError: (error) => showProblem(t('couldntSaveTheChart'), error),
  });
  return (
    <Section title={part.label}>
      <Stack gap="sm">
        <Group align="flex-end" gap="xs" className="no-print">
          <ChartEditor part={part} chart={chart} onChange={setChosen} />
          {saved.isMine && chosen && (
            <Button size="xs" loading={isPending} onClick={() => mutate()}>
              {t('saveChart')}
            </Button>
          )}
          <PlaceMenu saved={saved} part={part} />
        </Group>
        <ResultChart part={part} source={source} definition={definition} textOf={textOf} chart={chart} />
        <ResultTable part={part} source={source} definition={definition} textOf={textOf} />
      </Stack>
    </Section>
  );
}
