import { Button, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { t } from '../texts/console.ts';
import { useCompany } from './company.ts';
import { useCollections } from './definitions.ts';
import { hasLabels, listLabelTemplates, maxLabels, saveLabels } from './labels.ts';
import { showProblem } from './notices.tsx';

interface Props {
  /** The type of the rows. */
  readonly type: string;
  readonly ids: readonly string[];
  readonly size?: 'xs' | 'sm';
}

/** Saves labels with QR codes of some rows, by a template that is chosen; nothing for rows that have none. */
export function LabelMenu({ type, ids, size = 'sm' }: Props) {
  const page = useCollections().get('LabelTemplate')?.page;
  return hasLabels(type) && page && ids.length > 0 ? <Templates type={type} ids={ids} size={size} page={page} /> : null;
}

function Templates({ type, ids, size, page }: Required<Props> & { readonly page: string }) {
  const { slug } = useCompany();
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const { data, error } = useQuery({ queryKey: ['label-templates'], queryFn: listLabelTemplates, enabled: isOpen });
  const { mutate, isPending } = useMutation({
    mutationFn: (templateId: string) => saveLabels(templateId, type, ids),
    onError: (problem) => showProblem(t('couldntMakeTheLabels'), problem),
  });
  const isTooMany = ids.length > maxLabels;
  return (
    <Menu withinPortal position="bottom-end" opened={isOpen} onChange={setIsOpen}>
      <Menu.Target>
        <Button variant="default" size={size} loading={isPending}>
          {t('labels')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {isTooMany && <Menu.Label>{t('aSheetHasAtMostMaxLabels', { maxLabels })}</Menu.Label>}
        {!isTooMany && (error || !data) && <Menu.Label>{error ? error.message : t('loading')}</Menu.Label>}
        {!isTooMany && data && data.length > 0 && (
          <Menu.Label>{t('labelsByTemplate', { count: ids.length })}</Menu.Label>
        )}
        {!isTooMany &&
          data?.map(({ id, name, labelSize }) => (
            <Menu.Item key={id} onClick={() => mutate(id)}>
              {labelSize ? `${name} (${labelSize})` : name}
            </Menu.Item>
          ))}
        {!isTooMany && data?.length === 0 && (
          <Menu.Item
            onClick={() =>
              void navigate({ to: '/c/$company/$collection/new', params: { company: slug, collection: page } })
            }
          >
            {t('createALabelTemplateFirst')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
