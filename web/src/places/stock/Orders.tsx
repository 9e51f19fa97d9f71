import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { dayIn } from '../../company-time.ts';
import { useCompany } from '../../console/company.ts';
import { Tag, useWrite } from '../../console/Place.tsx';
import { formatAmount } from '../../format.ts';
import { t } from '../../texts/places-stock.ts';
import { type Line, type Order, order, outstanding, type Requisition, receive, send } from './steps.ts';

const textOfLines = (lines: readonly Line[]) =>
  lines.map(({ quantity, description }) => `${quantity ?? ''} ${description ?? ''}`.trim()).join(', ');

function Facts({ title, lines, amount }: { title: string; lines: readonly Line[]; amount: number | null }) {
  const { currency } = useCompany();
  return (
    <Stack gap={2} style={{ flex: '1 1 14rem' }}>
      <Text fw={600}>{title}</Text>
      <Text size="sm">
        {[textOfLines(lines), amount !== null && formatAmount(amount, currency)].filter(Boolean).join(' · ')}
      </Text>
    </Stack>
  );
}

/** A requisition that nothing was ordered for yet. */
export function OneRequisition({ row, isWriter }: { readonly row: Requisition; readonly isWriter: boolean }) {
  const { time_zone: timeZone } = useCompany();
  const { mutate, isPending } = useWrite({
    run: () => order(row, dayIn(timeZone, new Date())),
    done: () => t('anOrderForTitleIsDrafted', { title: row.title }),
    problem: t('couldntMakeTheOrder'),
  });
  return (
    <Group justify="space-between" gap="xs">
      <Facts title={row.title} lines={row.lineItems} amount={row.totalAmount} />
      {row.status === 'PENDING' ? (
        <Tag>{t('waitsForApproval')}</Tag>
      ) : (
        isWriter && (
          <Button
            variant="default"
            loading={isPending}
            onClick={() => mutate(undefined)}
            aria-label={t('orderTitle', { title: row.title })}
          >
            {t('order')}
          </Button>
        )
      )}
    </Group>
  );
}

/** An order that is not received in full. */
export function OneOrder({ row, isReceiver }: { readonly row: Order; readonly isReceiver: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const sending = useWrite({
    run: () => send(row),
    done: () => t('numberIsMarkedAsSent', { number: row.number }),
    problem: t('couldntSendIt'),
  });
  const title = row.vendor ? `${row.number} · ${row.vendor.companyName}` : row.number;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Facts title={title} lines={row.lineItems} amount={row.totalAmount} />
        {row.status === 'DRAFT' && !row.allowedStatuses.includes('SENT') && <Tag>{t('waitsForApproval')}</Tag>}
        {row.status === 'DRAFT' && row.allowedStatuses.includes('SENT') && (
          <Button
            variant="default"
            loading={sending.isPending}
            onClick={() => sending.mutate(undefined)}
            aria-label={t('sendNumber', { number: row.number })}
          >
            {t('send')}
          </Button>
        )}
        {row.status !== 'DRAFT' && isReceiver && !isOpen && (
          <Button
            variant="default"
            onClick={() => setIsOpen(true)}
            aria-label={t('receiveNumber', { number: row.number })}
          >
            {t('receive')}
          </Button>
        )}
      </Group>
      {isOpen && <Receiving row={row} onClose={() => setIsOpen(false)} />}
    </Stack>
  );
}

/** What came of an order, with what is still to come filled in. */
function Receiving({ row, onClose }: { readonly row: Order; readonly onClose: () => void }) {
  const lines = outstanding(row);
  const [quantities, setQuantities] = useState(() => new Map([...lines].map(([id, { quantity }]) => [id, quantity])));
  const { mutate, isPending } = useWrite({
    run: async () => {
      await receive(row, quantities);
      onClose();
    },
    done: () => t('goodsOfNumberAreInThe', { number: row.number }),
    problem: t('couldntReceiveThem'),
  });
  return (
    <form
      aria-label={t('receiveNumber', { number: row.number })}
      onSubmit={(event) => {
        event.preventDefault();
        mutate(undefined);
      }}
    >
      <Group align="end" gap="xs">
        {[...lines].map(([id, { name }]) => (
          <NumberInput
            key={id}
            label={name}
            w={150}
            min={0}
            decimalScale={0}
            value={quantities.get(id) ?? 0}
            onChange={(value) => setQuantities((before) => new Map(before).set(id, Number(value) || 0))}
          />
        ))}
        <Button type="submit" loading={isPending}>
          {t('addToTheStock')}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
      </Group>
    </form>
  );
}
