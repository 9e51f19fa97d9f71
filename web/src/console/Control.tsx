import { Checkbox, NativeSelect, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { decimalSeparator } from '../format.ts';
import { fromClockTime, toClockTime } from '../reader-time.ts';
import { t } from '../texts/console.ts';
import type { Field } from './definitions.ts';
import { useCollections } from './definitions.ts';
import { choicesQuery, type Row } from './rows.ts';
import { textOf } from './text.ts';
import { titleOf } from './value-text.ts';

/** A field as far as a control needs to know it. */
export type ControlledField = Pick<
  Field,
  | 'name'
  | 'label'
  | 'control'
  | 'isList'
  | 'isRequired'
  | 'maxLength'
  | 'minimum'
  | 'maximum'
  | 'decimalPlaces'
  | 'references'
  | 'choices'
  | 'type'
> & { readonly description?: string | null };

interface Props {
  readonly field: ControlledField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly error?: string | undefined;
  /** The row that a reference refers to, whose name is shown. */
  readonly related?: Row | null;
  readonly disabled?: boolean;
}

/** How long (ms) to wait for more letters before rows are searched. */
const waitMs = 200;

/** The control of a form for a field, by the kind of its values. Empty is null. */
export function Control({ field, value, onChange, error, related, disabled }: Props) {
  const { name, label, control, isRequired, description } = field;
  const common = { name, label, error, disabled, required: isRequired, description: description ?? undefined };
  const setText = (text: string) => onChange(text === '' ? null : text);
  if (field.isList)
    return (
      <Textarea
        {...common}
        description={t('oneALine')}
        autosize
        minRows={2}
        value={Array.isArray(value) ? value.join('\n') : ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? [] : currentTarget.value.split('\n'))}
      />
    );
  switch (control) {
    case 'LONG_TEXT':
      return (
        <Textarea
          {...common}
          autosize
          minRows={3}
          maxRows={14}
          maxLength={field.maxLength ?? undefined}
          value={textOf(value)}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      );
    case 'NUMBER':
      return (
        <NumberInput
          {...common}
          min={field.minimum ?? undefined}
          max={field.maximum ?? undefined}
          decimalScale={field.type === 'Int' ? 0 : (field.decimalPlaces ?? undefined)}
          clampBehavior="none"
          decimalSeparator={decimalSeparator()}
          allowedDecimalSeparators={['.', ',']}
          thousandSeparator=" "
          value={typeof value === 'number' || typeof value === 'string' ? value : ''}
          onChange={(number) => onChange(number === '' ? null : Number(number))}
        />
      );
    case 'CHECKBOX':
      return (
        <Checkbox
          name={name}
          label={label}
          description={description}
          error={error}
          disabled={disabled}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      );
    case 'DATE':
      return (
        <TextInput
          {...common}
          type="date"
          value={textOf(value)}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      );
    case 'DATE_TIME':
      return (
        <TextInput
          {...common}
          type="datetime-local"
          step={60}
          value={typeof value === 'string' && value !== '' ? toClockTime(value) : ''}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === '' ? null : fromClockTime(currentTarget.value))
          }
        />
      );
    case 'CHOICE':
      return (
        <NativeSelect
          {...common}
          value={textOf(value)}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          data={[...(isRequired && value ? [] : [{ value: '', label: '–' }]), ...field.choices]}
        />
      );
    case 'REFERENCE':
      return <ReferenceControl {...common} field={field} value={value} onChange={onChange} related={related} />;
    default:
      return (
        <TextInput
          {...common}
          maxLength={field.maxLength ?? undefined}
          value={textOf(value)}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      );
  }
}

/** Chooses a row of another resource, which is searched by its name. */
function ReferenceControl({
  field,
  value,
  onChange,
  related,
  ...common
}: Omit<Props, 'disabled'> & { disabled?: boolean | undefined }) {
  const target = useCollections().get(field.references ?? '');
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, waitMs);
  const [isOpen, setIsOpen] = useState(false);
  // What stands in the field after a choice is no search.
  const [chosen, setChosen] = useState<Row | null>(related ?? null);
  const chosenTitle = target && chosen ? titleOf(target, chosen) : undefined;
  const { data: rows = [] } = useQuery({
    ...choicesQuery(target ?? noTarget, search === chosenTitle ? '' : search),
    enabled: isOpen && target?.listField != null,
  });
  if (!target)
    return (
      <TextInput
        {...common}
        value={textOf(value)}
        onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
      />
    );
  const all = chosen && !rows.some(({ id }) => id === chosen.id) ? [chosen, ...rows] : rows;
  return (
    <Select
      {...common}
      label={field.label}
      name={field.name}
      searchable
      clearable={!field.isRequired}
      // The service has searched already.
      filter={({ options }) => options}
      data={all.map((row) => ({ value: row.id, label: titleOf(target, row) }))}
      value={textOf(value) || null}
      onChange={(id) => {
        setChosen(all.find((row) => row.id === id) ?? null);
        onChange(id);
      }}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setIsOpen(true)}
      nothingFoundMessage={t('noneFound')}
      comboboxProps={{ withinPortal: true }}
    />
  );
}

/** Stands for a resource that the person cannot read, which is never asked for. */
const noTarget = { listField: null, titleField: null, isSearched: false, type: '' } as unknown as Parameters<
  typeof choicesQuery
>[0];
