// Conditions of a list in words, and how people make them.

import type { Filter } from '../../app/search.ts';
import { t } from '../../texts/console.ts';
import type { Field } from '../definitions.ts';

/** A comparison of a field, by its name in the grammar of lists, and how people say it. */
export interface Comparison {
  readonly name: string;
  readonly label: string;
}

const is = () => [
  { name: 'in', label: t('is') },
  { name: 'notIn', label: t('isNot') },
];
const isSet = () => ({ name: 'isNull', label: t('isEmpty') });
const order = () => [
  { name: 'gte', label: t('isAtLeast') },
  { name: 'lte', label: t('isAtMost') },
  { name: 'eq', label: t('equals') },
];
const days = () => [
  { name: 'gte', label: t('isOnOrAfter') },
  { name: 'lt', label: t('isBefore') },
];

/** How values of a field are compared. */
export function comparisonsOf({ control, isList }: Pick<Field, 'control' | 'isList'>): readonly Comparison[] {
  if (isList) return [];
  switch (control) {
    case 'CHOICE':
    case 'REFERENCE':
      return [...is(), isSet()];
    case 'NUMBER':
      return [...order(), isSet()];
    case 'DATE':
    case 'DATE_TIME':
      return [...days(), isSet()];
    case 'CHECKBOX':
      return [{ name: 'eq', label: t('is') }];
    case 'ITEMS':
      return [];
    default:
      return [{ name: 'contains', label: t('contains') }, { name: 'eq', label: t('is') }, isSet()];
  }
}

/** One condition of a filter: a comparison of a field with a value. */
export interface Condition {
  readonly field: string;
  readonly comparison: string;
  readonly value: unknown;
}

/** The conditions of a filter that all must hold. Others, such as alternatives, are one with `comparison` ''. */
export const conditionsOf = (filter: Filter = {}): Condition[] =>
  Object.entries(filter).flatMap(([field, comparisons]): Condition[] =>
    ['and', 'or', 'not'].includes(field) || typeof comparisons !== 'object' || comparisons === null
      ? [{ field, comparison: '', value: comparisons }]
      : Object.entries(comparisons).map(([comparison, value]) => ({ field, comparison, value: value as unknown })),
  );

/** A filter with one condition more, in place of an equal comparison of the same field. */
export const withCondition = (filter: Filter = {}, { field, comparison, value }: Condition): Filter => ({
  ...filter,
  [field]: { ...(filter[field] as object | undefined), [comparison]: value },
});

/** A filter without one of its conditions. */
export function withoutCondition(filter: Filter = {}, { field, comparison }: Condition): Filter {
  const { [field]: comparisons, ...others } = filter;
  if (comparison === '') return others;
  const rest = Object.fromEntries(Object.entries(comparisons as object).filter(([name]) => name !== comparison));
  return Object.keys(rest).length > 0 ? { ...others, [field]: rest } : others;
}
