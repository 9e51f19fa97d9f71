import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Tag, useWrite } from '../../console/Place.tsx';
import { formatAgo, formatDate } from '../../format.ts';
import { t } from '../../texts/places-mailroom.ts';
import { type Package, type Shipment, setPackageStatus } from './receive.ts';

/** From this age (days) on a package is marked, as people forget theirs. */
const oldDays = 3;

/** The packages that wait for their recipients, the oldest first. */
export function Shelf({ packages, isWriter }: { readonly packages: readonly Package[]; readonly isWriter: boolean }) {
  return (
    <ul className="list">
      {packages.map((each) => (
        <li key={each.id}>
          <OnShelf shelved={each} isWriter={isWriter} />
        </li>
      ))}
    </ul>
  );
}

function OnShelf({ shelved, isWriter }: { readonly shelved: Package; readonly isWriter: boolean }) {
  const { id, description, guestName, trackingNumber, quantity, receivedAt } = shelved;
  const { mutate, isPending } = useWrite({
    run: () => setPackageStatus(id, 'COLLECTED'),
    done: () => t('descriptionHandedOverToGuestName', { description, guestName }),
    undo: () => setPackageStatus(id, 'RECEIVED'),
    problem: t('couldntHandItOver'),
  });
  const [now] = useState(Date.now);
  const isOld = receivedAt !== null && now - Date.parse(receivedAt) > oldDays * 86_400_000;
  return (
    <Group justify="space-between" gap="xs">
      <Stack gap={2} style={{ flex: '1 1 14rem' }}>
        <Text fw={600}>{guestName}</Text>
        <Text size="sm">
          {[description, quantity > 1 && t('pieces', { count: quantity }), trackingNumber].filter(Boolean).join(' · ')}
        </Text>
      </Stack>
      {receivedAt && <Tag color={isOld ? 'orange' : 'gray'}>{formatAgo(receivedAt)}</Tag>}
      {isWriter && (
        <Button
          variant="default"
          loading={isPending}
          onClick={() => mutate(undefined)}
          aria-label={t('handOverToGuestNameDescription', { guestName, description })}
        >
          {t('handOver')}
        </Button>
      )}
    </Group>
  );
}

/** What is still to come. */
export function Arrivals({
  packages,
  shipments,
}: {
  readonly packages: readonly Package[];
  readonly shipments: readonly Shipment[];
}) {
  const rows = [
    ...packages.map(({ id, description, guestName, trackingNumber, expectedDate }) => ({
      ...{ id, title: description, recipient: guestName, trackingNumber, date: expectedDate },
    })),
    ...shipments.map(({ id, description, sender, recipient, trackingNumber, estimatedDelivery }) => ({
      ...{
        id,
        title: description ?? (sender ? t('fromSender', { sender }) : t('shipment')),
        recipient,
        trackingNumber,
      },
      date: estimatedDelivery,
    })),
  ].sort((a, b) => (a.date ?? '9999').localeCompare(b.date ?? '9999'));
  return (
    <ul className="list">
      {rows.map(({ id, title, recipient, trackingNumber, date }) => (
        <li key={id}>
          <Group justify="space-between" gap="xs">
            <Stack gap={2} style={{ flex: '1 1 14rem' }}>
              <Text fw={600}>{title}</Text>
              <Text size="sm">{[recipient, trackingNumber].filter(Boolean).join(' · ')}</Text>
            </Stack>
            <Text size="sm">{date ? formatDate(date) : t('noDayGiven')}</Text>
          </Group>
        </li>
      ))}
    </ul>
  );
}
