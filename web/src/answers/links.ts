// The rows that a figure counts, as the filter of their list.
import type { FieldNode } from 'graphql';
import type { Filter } from '../app/search.ts';
import { addDays, firstOfMonth, startOfDay } from '../company-time.ts';
import type { Definition } from '../console/definitions.ts';
import { argumentsOf, fieldsTo, type ReadQuery } from './document.ts';
import { type Part, totalOf } from './parts.ts';

type Values = Readonly<Record<string, unknown>>;

/** Where a part of a result comes from. */
export interface Source {
  /** The name of the list in the API. */
  readonly listField: string;
  readonly list: FieldNode;
  /** The field that has the groups; undefined of rows. */
  readonly groups: FieldNode | undefined;
  readonly query: ReadQuery;
  readonly variables: Values;
}

/** Finds the list that a part comes from; undefined of other values. */
export function sourceOf(query: ReadQuery, { place }: Part, variables: Values): Source | undefined {
  const [list, inner, ...deeper] = (place === '' ? undefined : fieldsTo(query, place)) ?? [];
  if (!list || !inner || deeper.length > 0) return undefined;
  const groups = inner.name.value === 'aggregates' ? inner : undefined;
  const defaults = query.variables.map(({ name, defaultValue }) => [name, defaultValue] as const);
  return {
    listField: list.name.value,
    list,
    groups,
    query,
    variables: { ...Object.fromEntries(defaults), ...variables },
  };
}

/** The arguments of a list and of its groups that choose no rows. */
const ofPages = ['first', 'last', 'after', 'before', 'offset', 'orderBy', 'sort', 'order'];
const ofGroups = ['first', 'orderBy', 'having', 'fill', 'per', 'subtotals', 'timeZone'];

/** What the address of a list says to show rows. */
export interface RowsSearch {
  readonly filter?: Filter;
  readonly search?: string;
}

const all = (filters: readonly Filter[]): Filter | undefined => {
  const given = filters.filter((filter) => Object.keys(filter).length > 0);
  const names = given.flatMap((filter) => Object.keys(filter));
  // Conditions on different fields can be shown, and removed, one by one.
  if (new Set(names).size === names.length)
    return given.length > 0 ? given.reduce((found, each) => ({ ...found, ...each })) : undefined;
  return { and: given };
};

/**
 * What leads to the rows of a group; undefined where a key cannot be said as a filter, such as a day of the week.
 *
 * @param column the place of a measure, which may have conditions of its own
 */
export function rowsOf(
  { list, groups, query, variables }: Source,
  row: Values,
  column: string,
  definition: Definition,
  timeZone: string,
): RowsSearch | undefined {
  if (!groups?.selectionSet) return undefined;
  const given = argumentsOf(list, variables);
  const ofGroup = argumentsOf(groups, variables);
  const inGroup = { selection: groups.selectionSet, fragments: query.fragments };
  const filters: Filter[] = [];
  for (const [name, value] of given) {
    if (ofPages.includes(name) || name === 'search') continue;
    if (name === 'filter') filters.push(value as Filter);
    else if (name === definition.parentField) filters.push({ [name]: { eq: value } });
    else return undefined;
  }
  if ([...ofGroup.keys()].some((name) => !ofGroups.includes(name))) return undefined;
  const zone = (ofGroup.get('timeZone') as string | undefined) ?? timeZone;
  const totals = totalOf(row);
  for (const place of Object.keys(row).filter((each) => each.startsWith('key.'))) {
    const idPlace = place.replace(/[^.]+$/, 'id');
    // The id of a related row says it all.
    if (totals.includes(place) || (idPlace !== place && idPlace !== 'key.id' && typeof row[idPlace] === 'string'))
      continue;
    const path = fieldsTo(inGroup, place);
    // A total looks like a group of rows without a value, unless the query says which is which.
    const isUnclear = ofGroup.has('subtotals') && row['totalOf'] === undefined;
    const filter =
      path && !(isUnclear && row[place] === null) && conditionOf(path.slice(1), row[place], definition, zone);
    if (!filter) return undefined;
    filters.push(filter);
  }
  const measure = fieldsTo(inGroup, column);
  const where = measure?.[0] && argumentsOf(measure[0], variables).get('where');
  if (where) filters.push(where as Filter);
  const search = given.get('search') as string | undefined;
  const filter = all(filters);
  return { ...(filter && { filter }), ...(search !== undefined && { search }) };
}

/** The condition that rows of a group have; undefined if no filter says it. */
function conditionOf(
  path: readonly FieldNode[],
  value: unknown,
  definition: Definition,
  zone: string,
): Filter | undefined {
  const names = path.map(({ name }) => name.value);
  const [first, second, ...others] = names;
  if (first === undefined) return undefined;
  const field = definition.fields.find(({ name }) => name === first);
  const reference = definition.fields.find(({ relation }) => relation === first);
  if (second === undefined && reference && !field) return { [reference.name]: { isNull: true } };
  if (second === undefined) return { [first]: equals(value, typeof value === 'string' && isChosen(field?.control)) };
  if (field) {
    const condition = others.length === 0 && partCondition(second, path[1], value, field.control === 'DATE_TIME', zone);
    return condition ? { [first]: condition } : undefined;
  }
  // A field of a related row.
  if (!reference) return undefined;
  if (second === 'id' && others.length === 0) return { [reference.name]: equals(value, true) };
  const last = names.at(-1) ?? '';
  if (/^(day|week|month|quarter|year|fiscalYear|weekday|hour|bucket)$/.test(last)) return undefined;
  const inner = names
    .slice(1)
    .reduceRight<unknown>((below, name) => ({ [name]: below }), value === null ? { isNull: true } : { eq: value });
  if (value !== null) return { [first]: inner };
  return names.length === 2 ? { or: [{ [reference.name]: { isNull: true } }, { [first]: inner }] } : undefined;
}

/** Whether lists let people choose values of a control, of which there can be several. */
const isChosen = (control: string | undefined) => control === 'CHOICE' || control === 'REFERENCE';

const equals = (value: unknown, isOneOf: boolean) =>
  value === null ? { isNull: true } : isOneOf ? { in: [value] } : { eq: value };

const periodDays = new Map([
  ['day', 1],
  ['week', 7],
]);
const periodMonths = new Map([
  ['month', 1],
  ['quarter', 3],
  ['year', 12],
  ['fiscalYear', 12],
]);

/** The condition of a part of a value: a period of a time, or a range of a number. */
function partCondition(
  part: string,
  node: FieldNode | undefined,
  value: unknown,
  isTime: boolean,
  zone: string,
): Filter | undefined {
  if (part === 'bucket') return bucketCondition(node, value);
  const [days, months] = [periodDays.get(part), periodMonths.get(part)];
  if (days === undefined && months === undefined) return undefined;
  if (typeof value !== 'string') return { isNull: true };
  const end = days === undefined ? firstOfMonth(value, months) : addDays(value, days);
  const bound = (day: string) => (isTime ? startOfDay(day, zone) : day);
  return { gte: bound(value), lt: bound(end) };
}

function bucketCondition(node: FieldNode | undefined, value: unknown): Filter | undefined {
  // What is below all bounds is not told from what is unset.
  if (typeof value !== 'number' || !node) return undefined;
  const given = argumentsOf(node, {});
  const size = given.get('size');
  const bounds = given.get('bounds');
  if (typeof size === 'number') return { gte: value, lt: value + size };
  if (!Array.isArray(bounds)) return undefined;
  const next = (bounds as number[]).find((bound) => bound > value);
  return { gte: value, ...(next !== undefined && { lt: next }) };
}
