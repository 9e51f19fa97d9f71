import { Button, Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Tag, useWrite } from '../../console/Place.tsx';
import { formatCount, formatNumber } from '../../format.ts';
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
    done: () => `${formatCount(chosen.length, 'item')} asked for.`,
    problem: "Couldn't ask for them",
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
                description={`${formatNumber(item.quantity)} of at least ${formatNumber(item.reorderPoint ?? 0)} ${item.unit ?? ''}`}
                checked={!underway.has(item.id) && !left.has(item.id)}
                disabled={underway.has(item.id)}
                onChange={() => toggle(item.id)}
                style={{ flex: '1 1 14rem' }}
              />
              {underway.has(item.id) ? (
                <Tag>Asked for or ordered</Tag>
              ) : (
                <NumberInput
                  aria-label={`Quantity of ${item.name}`}
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
          Ask for {formatCount(chosen.length, 'item')}
        </Button>
        <Text size="sm" c="dimmed">
          Makes a requisition that waits for approval.
        </Text>
      </Group>
    </Stack>
  );
}
