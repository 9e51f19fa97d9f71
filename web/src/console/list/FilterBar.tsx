import { Group, Pill } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Filter } from '../../app/search.ts';
import { onDemand } from '../../components/on-demand.tsx';
import { useMeta } from '../../components/useMeta.ts';
import { formatDate, formatNumber } from '../../format.ts';
import { t } from '../../texts/console.ts';
import { type Definition, type Field, fieldOf, useCollections } from '../definitions.ts';
import { titleQuery } from '../rows.ts';
import { inWords, textOf } from '../text.ts';
import { type Condition, comparisonsOf, conditionsOf, withCondition, withoutCondition } from './conditions.ts';

const AddCondition = onDemand(
  () => import('./AddCondition.tsx'),
  () => t('addFilter'),
);

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
