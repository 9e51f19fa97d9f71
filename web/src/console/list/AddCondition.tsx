import { Button, MultiSelect, NativeSelect, Popover, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type SubmitEvent, useState } from 'react';
import { t } from '../../texts/console.ts';
import { Control } from '../Control.tsx';
import type { Definition, Field } from '../definitions.ts';
import { type Condition, comparisonsOf } from './conditions.ts';

/** Adds a condition to those of a list. */
export default function AddCondition({
  definition,
  onAdd,
}: {
  readonly definition: Definition;
  readonly onAdd: (condition: Condition) => void;
}) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  return (
    <Popover
      opened={isOpen}
      onChange={close}
      position="bottom-start"
      trapFocus
      returnFocus
      withinPortal
      shadow="md"
      width={300}
    >
      <Popover.Target>
        <Button variant="default" size="xs" onClick={toggle} aria-expanded={isOpen}>
          {t('addFilter')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ConditionForm
          definition={definition}
          onAdd={(condition) => {
            onAdd(condition);
            close();
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function ConditionForm({
  definition,
  onAdd,
}: {
  readonly definition: Definition;
  readonly onAdd: (condition: Condition) => void;
}) {
  const fields = definition.fields.filter((field) => field.isFilter && comparisonsOf(field).length > 0);
  const [name, setName] = useState(fields[0]?.name ?? '');
  const field = fields.find((each) => each.name === name);
  const comparisons = field ? comparisonsOf(field) : [];
  const [chosen, setChosen] = useState('');
  const comparison = comparisons.find((each) => each.name === chosen) ?? comparisons[0];
  const [value, setValue] = useState<unknown>(null);
  if (!field || !comparison) return null;
  const takesList = ['in', 'notIn'].includes(comparison.name);
  const isEmpty = comparison.name === 'isNull';
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = isEmpty ? true : takesList && !Array.isArray(value) ? [value] : value;
    const isGiven = Array.isArray(given) ? given.length > 0 && given[0] !== null : given !== null;
    if (isGiven || field.control === 'CHECKBOX')
      onAdd({ field: name, comparison: comparison.name, value: given ?? false });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <NativeSelect
          label={t('field')}
          value={name}
          onChange={({ currentTarget }) => {
            setName(currentTarget.value);
            setValue(null);
          }}
          data={fields.map(({ name, label }) => ({ value: name, label }))}
        />
        <NativeSelect
          label={t('comparison')}
          value={comparison.name}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          data={comparisons.map(({ name, label }) => ({ value: name, label }))}
        />
        {!isEmpty && takesList && field.control === 'CHOICE' && (
          <MultiSelect
            label={t('values')}
            data={field.choices.map(({ value, label }) => ({ value, label }))}
            value={Array.isArray(value) ? value.map(String) : []}
            onChange={setValue}
            comboboxProps={{ withinPortal: false }}
          />
        )}
        {!isEmpty && !(takesList && field.control === 'CHOICE') && (
          <Control
            key={name}
            field={{
              ...field,
              label: t('value'),
              description: null,
              isRequired: false,
              control: shortOf(field.control),
            }}
            value={value}
            onChange={setValue}
          />
        )}
        <Button type="submit" size="xs">
          {t('add')}
        </Button>
      </Stack>
    </form>
  );
}

/** Conditions compare with one line of text, and times by their day. */
const shortOf = (control: Field['control']): Field['control'] =>
  control === 'LONG_TEXT' ? 'TEXT' : control === 'DATE_TIME' ? 'DATE' : control;
