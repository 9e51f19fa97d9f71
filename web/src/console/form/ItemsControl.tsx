import { Button, Fieldset, Group, Stack } from '@mantine/core';
import { t } from '../../texts/console.ts';
import { inSentence } from '../../texts/texts.ts';
import { Control } from '../Control.tsx';
import type { Input } from '../definitions.ts';

interface Props {
  readonly field: Input;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** Errors by path, such as `lineItems.0.quantity`. */
  readonly errors: Readonly<Record<string, string>>;
}

type Item = Readonly<Record<string, unknown>>;

/** The nested items of a row, such as the lines of an order, or one such item. */
export function ItemsControl({ field, value, onChange, errors }: Props) {
  const { name, label, fields, isList } = field;
  const items: readonly Item[] = Array.isArray(value) ? (value as Item[]) : value ? [value as Item] : [];
  const setAll = (next: readonly Item[]) => onChange(isList ? next : (next[0] ?? null));
  const set = (index: number, item: Item) => setAll(items.with(index, item));
  const own = errors[name];
  return (
    <Fieldset legend={label}>
      <Stack gap="xs">
        {own && <span role="alert">{own}</span>}
        {items.map((item, index) => (
          // Items have no ids, and keep their places.
          <Group key={index} align="flex-end" gap="xs">
            {fields.map((each) => (
              <Control
                key={each.name}
                field={each}
                value={item[each.name] ?? null}
                onChange={(changed) => set(index, withValue(item, each.name, changed))}
                error={errors[isList ? `${name}.${index}.${each.name}` : `${name}.${each.name}`]}
              />
            ))}
            <Button variant="default" onClick={() => setAll(items.filter((_, other) => other !== index))}>
              {t('remove')}
            </Button>
          </Group>
        ))}
        {(isList || items.length === 0) && (
          <Group>
            <Button variant="default" size="xs" onClick={() => setAll([...items, {}])}>
              {isList ? t('addLine') : t('addLabel', { label: inSentence(label) })}
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}

/** An item with another value of a field; what is empty is left out. */
function withValue(item: Item, name: string, value: unknown): Item {
  const { [name]: _, ...others } = item;
  return value === null ? others : { ...others, [name]: value };
}
