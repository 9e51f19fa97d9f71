import { Button, Group, MultiSelect, NativeSelect, Pill, Popover, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import type { Filter } from '../../app/search.ts';
import { useMeta } from '../../components/useMeta.ts';
import { formatDate, formatNumber } from '../../format.ts';
import { t } from '../../texts/console.ts';
import { Control } from '../Control.tsx';
import { type Definition, type Field, fieldOf, useCollections } from '../definitions.ts';
import { titleQuery } from '../rows.ts';
import { inWords, textOf } from '../text.ts';
import { type Condition, comparisonsOf, conditionsOf, withCondition, withoutCondition } from './conditions.ts';

interface Props {
  readonly definition: Definition;
  readonly filter: Filter | undefined;
  readonly onChange: (filter: Filter | undefined) => void;
}

/** The conditions of a list, each of which can be removed, and a form that adds one. */
export function FilterBar({ definition, filter, onChange }: Props) {
  const remove = (condition: Condition) => onChange(withoutCondition(filter, condition));
  return (
    <Group gap={6}>
      <AddCondition definition={definition} onAdd={(condition) => onChange(withCondition(filter, condition))} />
      {conditionsOf(filter).map((condition) => (
        <ConditionPill
          key={`${condition.field} ${condition.comparison}`}
          definition={definition}
          condition={condition}
          onRemove={() => remove(condition)}
        />
      ))}
    </Group>
  );
}

interface PillProps {
  readonly definition: Definition;
  readonly condition: Condition;
  readonly onRemove: () => void;
}

/** Conditions on the rows of a relation, which only addresses have. */
const ofRelated = (): Readonly<Record<string, string>> => ({
  some: t('withAtLeastOneThatMatches'),
  none: t('withNoneThatMatches'),
  every: t('thatAllMatch'),
});

function ConditionPill({ definition, condition: { field: name, comparison, value }, onRemove }: PillProps) {
  const field = fieldOf(definition, name);
  const isEmpty = comparison === 'isNull';
  const said = field && comparisonsOf(field).find((each) => each.name === comparison)?.label;
  const words = isEmpty
    ? value === false
      ? t('isSet')
      : t('isEmpty')
    : (said ?? ofRelated()[comparison] ?? comparison);
  const isGroup = name === 'or' || name === 'and' || name === 'not';
  const label = field?.label ?? (isGroup ? t('conditions') : inWords(name));
  return (
    <Pill
      size="md"
      withRemoveButton
      onRemove={onRemove}
      removeButtonProps={{ 'aria-label': t('removeLabel', { label }), 'aria-hidden': false, tabIndex: 0 }}
    >
      {label} {words} {!isEmpty && field && <Values field={field} value={value} />}
    </Pill>
  );
}

/** The values of a condition in words. */
function Values({ field, value }: { readonly field: Field; readonly value: unknown }) {
  const meta = useMeta();
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (field.control === 'REFERENCE')
    return values.map((id) => <Title key={textOf(id)} field={field} id={textOf(id)} />);
  const words = values.map((each) => {
    if (each === null) return t('empty');
    if (field.control === 'CHOICE') return meta.label(field.type, textOf(each));
    if (typeof each === 'number') return formatNumber(each);
    if (typeof each === 'boolean') return each ? t('yesInSentence') : t('noInSentence');
    const text = textOf(each);
    return /^\d{4}-\d\d-\d\d$/.test(text) ? formatDate(text) : text;
  });
  return words.join(', ');
}

function Title({ field, id }: { readonly field: Field; readonly id: string }) {
  const target = useCollections().get(field.references ?? '');
  const { data } = useQuery(titleQuery(target, id));
  return data ?? '…';
}

function AddCondition({
  definition,
  onAdd,
}: {
  readonly definition: Definition;
  readonly onAdd: (condition: Condition) => void;
}) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  return (
    <Popover opened={isOpen} onChange={close} position="bottom-start" trapFocus withinPortal shadow="md" width={300}>
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
