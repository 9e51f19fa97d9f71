import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from '../../app/Link.tsx';
import { useCompany } from '../../console/company.ts';
import { useCollections } from '../../console/definitions.ts';
import { Tag, useWrite } from '../../console/Place.tsx';
import { formatAgo, formatAmount, formatDate } from '../../format.ts';
import { t } from '../../texts/places-approvals.ts';
import { type Decision, decide, type Entry } from './decisions.ts';

/** A row that waits for a decision. A decision cannot be taken back, so its second click confirms it. */
export function OneDecision({ entry }: { readonly entry: Entry }) {
  const { kind, row } = entry;
  const { slug, currency } = useCompany();
  const page = useCollections().get(kind.type)?.page;
  const [asked, setAsked] = useState<Decision>();
  const title = row.title ?? t('labelWithoutANumber', { label: t(kind.label) });
  const { mutate, isPending } = useWrite({
    run: (status: string) => decide(entry, status),
    done: (status) => t(status === kind.approve[0] ? 'approved' : 'refused', { title }),
    problem: t('couldntDecide'),
  });
  const facts = [
    row.vendor?.companyName,
    row.requester?.fullName ?? row.creator?.fullName,
    row.dueDate && t('dueDueDate', { dueDate: formatDate(row.dueDate) }),
    formatAgo(row.createdAt),
  ];
  const lines = (row.lineItems ?? []).map(({ description, quantity }) =>
    `${quantity ?? ''} ${description ?? ''}`.trim(),
  );
  const choices = [kind.approve, kind.refuse].filter(([status]) => row.allowedStatuses.includes(status));
  return (
    <Group justify="space-between" gap="xs">
      <Stack gap={2} style={{ flex: '1 1 16rem' }}>
        <Group gap="xs">
          <Tag>{t(kind.label)}</Tag>
          {page ? (
            <Link to="/c/$company/$collection/$id" params={{ company: slug, collection: page, id: row.id }}>
              {title}
            </Link>
          ) : (
            title
          )}
        </Group>
        <Text size="sm">{facts.filter(Boolean).join(' · ')}</Text>
        {lines.length > 0 && (
          <Text size="sm" c="dimmed">
            {lines.join(', ')}
          </Text>
        )}
      </Stack>
      <Text fw={700} className="number">
        {row.amount === null ? t('noAmount') : formatAmount(row.amount, currency)}
      </Text>
      <Group gap="xs">
        {asked ? (
          <>
            <Button autoFocus loading={isPending} onClick={() => mutate(asked[0])}>
              {t('askedConfirm', { asked: t(asked[1]) })}
            </Button>
            <Button variant="default" disabled={isPending} onClick={() => setAsked(undefined)}>
              {t('keep')}
            </Button>
          </>
        ) : (
          choices.map((choice) => (
            <Button
              key={choice[0]}
              variant={choice === kind.approve ? 'filled' : 'default'}
              onClick={() => setAsked(choice)}
              aria-label={`${t(choice[1])}: ${title}`}
            >
              {t(choice[1])}
            </Button>
          ))
        )}
      </Group>
    </Group>
  );
}
