import { Button, Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Tag, useWrite } from '../../console/Place.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../texts/places-stock.ts';
import { type Item, missing, request } from './steps.ts';

interface Props {
  readonly items: readonly Item[];
  /** The items that are asked for or ordered already. */
  readonly underway: ReadonlySet<string>;
}

/** Items to ask for, with the quantities that are missing filled in. */
export function LowStock({ items, underway }: Props) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [quantities, setQuantities] = useState<ReadonlyMap<string, number>>(new Map());
  const chosen = items.filter(({ id }) => !underway.has(id) && !left.has(id));
  const { mutate, isPending } = useWrite({
    run: () => request(chosen, quantities),
    done: () => t('itemsAskedFor', { count: chosen.length }),
    problem: t('couldntAskForThem'),
  });
  const toggle = (id: string) =>
    setLeft((before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]));
  return (
    <Stack gap="xs">
      <ul className="list">
        {items.map((item) => (
          <li key={item.id}>
            <Group justify="space-between" gap="xs">
              <Checkbox
                label={item.name}
                description={t('quantityOfAtLeastReorderPointUnit', {
                  quantity: formatNumber(item.quantity),
                  reorderPoint: formatNumber(item.reorderPoint ?? 0),
                  unit: item.unit ?? '',
                })}
                checked={!underway.has(item.id) && !left.has(item.id)}
                disabled={underway.has(item.id)}
                onChange={() => toggle(item.id)}
                style={{ flex: '1 1 14rem' }}
              />
              {underway.has(item.id) ? (
                <Tag>{t('askedForOrOrdered')}</Tag>
              ) : (
                <NumberInput
                  aria-label={t('quantityOfName', { name: item.name })}
                  w={110}
                  min={1}
                  decimalScale={0}
                  value={quantities.get(item.id) ?? missing(item)}
                  onChange={(value) => setQuantities((before) => new Map(before).set(item.id, Number(value) || 1))}
                />
              )}
            </Group>
          </li>
        ))}
      </ul>
      <Group>
        <Button loading={isPending} disabled={chosen.length === 0} onClick={() => mutate(undefined)}>
          {t('askForItems', { count: chosen.length })}
        </Button>
        <Text size="sm" c="dimmed">
          {t('makesARequisitionThatWaitsFor')}
        </Text>
      </Group>
    </Stack>
  );
}
