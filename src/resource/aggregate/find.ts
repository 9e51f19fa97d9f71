// Groups and measures the rows of a list, in one statement.

import type { GraphQLResolveInfo } from 'graphql';
import { IANAZone } from 'luxon';
import type { Context } from '../../context.ts';
import { maxFilled } from '../../database/read/filled.ts';
import type {
  FoundGroup,
  GroupParents,
  GroupQuery,
  GroupSort,
  MeasureCondition,
} from '../../database/read/group-query.ts';
import { badRequest } from '../../errors.ts';
import { messages } from '../../input/index.ts';
import { isNumber } from '../../json.ts';
import type { ModelName, Row, Where } from '../definition/model.ts';
import { type FillRange, fillOf } from './buckets.ts';
import { readKeys } from './derived.ts';
import { filledPeriods, type PeriodsInput, readPeriods } from './periods.ts';
import { type GroupPlan, mustBe, placeOf } from './places.ts';
import { type Measured, readPlan } from './plan.ts';

/** Maximum number of groups in a result. */
export const maxGroups = 1000;

/** A group: what is selected of it, by its names in the response. */
export type Group = Row;

/** The arguments of a list's `aggregates`. */
export interface GroupArguments {
  orderBy?: readonly { field: string; direction?: 'ASC' | 'DESC' | null }[] | null;
  having?: readonly Readonly<Record<string, unknown>>[] | null;
  fill?: FillRange | null;
  periods?: PeriodsInput | null;
  timeZone?: string | null;
  first?: number | null;
  subtotals?: readonly (readonly string[])[] | null;
  per?: readonly string[] | null;
}

/** The rows that are grouped. */
interface Grouped extends Measured {
  readonly model: ModelName;
  /** As which type they are read. */
  readonly as: string;
  readonly where: Where;
}

const operators: Readonly<Record<string, MeasureCondition['operator']>> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
};

/** Bounds of the arguments. */
const maxConditions = 10;
const maxSortKeys = 5;
const maxSubtotals = 5;
/** Those that there can be totals over; PostgreSQL has no more than 31. */
const maxTotalKeys = 10;

/**
 * Groups rows by the keys that a query selects, and computes the selected measures.
 *
 * @throws ServiceError BAD_REQUEST naming a wrong argument, or INSUFFICIENT_SCOPE
 */
export async function findGroups(
  grouped: Grouped,
  args: GroupArguments,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Group[]> {
  const { plan, query } = await readQuery(grouped, args, context, info);
  return limitGroups(await read(grouped, query, context), plan, context);
}

/** The same for the lists of several rows, by the id of each. @param parents the rows, without their ids */
export async function findGroupsOf(
  grouped: Grouped,
  parents: Omit<GroupParents, 'ids'>,
  ids: readonly string[],
  args: GroupArguments,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<ReadonlyMap<string, Group[]>> {
  const { plan, query } = await readQuery(grouped, args, context, info, true);
  const found = new Map<string, FoundGroup[]>(ids.map((id) => [id, []]));
  for (const group of await read(grouped, { ...query, parents: { ...parents, ids } }, context))
    found.get(group.parent ?? '')?.push(group);
  return new Map([...found].map(([id, groups]) => [id, limitGroups(groups, plan, context)]));
}

/** @throws ServiceError BAD_REQUEST for a time zone that the database does not know */
async function read({ model }: Grouped, query: GroupQuery, context: Context): Promise<FoundGroup[]> {
  try {
    return await context.reader.groups(model, query);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === invalidParameter) throw badRequest(wrongZone, 'timeZone');
    throw error;
  }
}

/** PostgreSQL's code of an unknown time zone. */
const invalidParameter = '22023';
const wrongZone = 'must be the IANA name of a time zone, such as Europe/Berlin';

/** The groups of a response. @throws ServiceError BAD_REQUEST where there are too many */
function limitGroups(
  groups: readonly FoundGroup[],
  plan: GroupPlan,
  { maxGroups: most = maxGroups }: Context,
): Group[] {
  if (groups.some(({ isCut }) => isCut))
    throw badRequest(
      `results in more than ${maxFilled} groups; use a shorter range, a longer period or fewer keys`,
      'fill',
    );
  if (groups.length > most)
    throw badRequest(
      `more than ${most} groups were found; filter the rows, group by fewer keys or longer periods, or set a lower limit`,
      'first',
    );
  return groups.map((group) => toGroup(group, plan));
}

/** In which month the fiscal years of the caller's company start, for keys that need it. */
async function fiscalMonthOf(
  { keys }: GroupPlan,
  { unscopedDb, caller }: Pick<Context, 'unscopedDb' | 'caller'>,
): Promise<number> {
  if (!keys.some(({ what: { part } }) => part === 'fiscalYear')) return 1;
  const where = { id: caller.companyId };
  return (await unscopedDb.company.findFirstOrThrow({ where })).fiscalYearStartMonth;
}

async function readQuery(
  { where, as, ...measured }: Grouped,
  args: GroupArguments,
  context: Context,
  info: GraphQLResolveInfo,
  isInsideRows = false,
) {
  const { maxGroups: most = maxGroups } = context;
  // Those of a table may be more than the default.
  const first = most > maxGroups && args.first === maxGroups ? most : (args.first ?? most);
  if (first < 1 || first > most) throw badRequest(`must be between 1 and ${most}`, 'first');
  const timeZone = args.timeZone ?? context.caller.timeZone;
  // PostgreSQL reads other texts as offsets, with the opposite sign.
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(timeZone) || !IANAZone.isValidZone(timeZone))
    throw badRequest(wrongZone, 'timeZone');
  const plan = readPlan(measured, args.periods?.every, context, info);
  const fiscalMonth = await fiscalMonthOf(plan, context);
  const grouped = { rows: measured.rows, as, where, isInsideRows };
  const periods = args.periods && (await readPeriods(args.periods, plan, grouped, { timeZone, fiscalMonth }, context));
  const query: GroupQuery = {
    where,
    as,
    keys: plan.keys.map(({ what }) => what),
    measures: plan.measures.length > 0 ? plan.measures.map(({ what }) => what) : [{ of: 'count' }],
    having: readConditions(plan, args.having ?? []),
    orderBy: readSort(plan, args.orderBy ?? []),
    // One more than the maximum, to detect that there are more.
    limit: first === most ? first + 1 : first,
    timeZone,
    fiscalMonth,
    fill: [
      ...fillOf(plan, args.fill, maxGroups, fiscalMonth, context),
      ...(periods ? filledPeriods(plan, periods) : []),
    ],
    ...(periods && { periods }),
    derived: plan.derived.map(({ what }) => what),
    subtotals: readSubtotals(plan, args.subtotals ?? []),
    ...(args.per && args.per.length > 0 && { per: readKeys(plan.keys, args.per, 'per') }),
  };
  return { plan, query };
}

/** @throws ServiceError BAD_REQUEST */
function readSubtotals({ keys }: GroupPlan, subtotals: NonNullable<GroupArguments['subtotals']>): number[][] {
  if (subtotals.length > maxSubtotals) throw badRequest(`must have at most ${maxSubtotals} levels`, 'subtotals');
  if (subtotals.length > 0 && (keys.length === 0 || keys.length > maxTotalKeys))
    throw badRequest(`requires 1 to ${maxTotalKeys} keys`, 'subtotals');
  const levels = subtotals.map((paths, n) => [...new Set(readKeys(keys, paths, `subtotals.${n}`))].sort());
  const texts = levels.map((level) => level.join());
  for (const [n, level] of levels.entries())
    if (level.length === keys.length || texts.indexOf(texts[n] ?? '') !== n)
      throw badRequest('must leave out a key, and others than the other levels', `subtotals.${n}`);
  return levels;
}

function readSort(plan: GroupPlan, orderBy: NonNullable<GroupArguments['orderBy']>): GroupSort[] {
  if (orderBy.length > maxSortKeys) throw badRequest(`must have at most ${maxSortKeys} keys`, 'orderBy');
  return orderBy.map(({ field, direction }, n): GroupSort => {
    const key = placeOf(plan.keys, field);
    const figures = [...plan.measures, ...plan.derived];
    const place = key < 0 ? placeOf(figures, field) : key;
    if (place < 0) throw badRequest(mustBe('a selected field', [...plan.keys, ...figures]), `orderBy.${n}.field`);
    return { by: key < 0 ? 'measure' : 'key', place, direction: direction ?? 'ASC' };
  });
}

function readConditions(plan: GroupPlan, having: NonNullable<GroupArguments['having']>): MeasureCondition[] {
  if (having.length > maxConditions) throw badRequest(`must have at most ${maxConditions} conditions`, 'having');
  const measures = [...plan.measures, ...plan.derived.map((derived) => ({ ...derived, isNumber: true }))];
  return having.flatMap(({ field, ...conditions }, n) => {
    const measure = placeOf(measures, String(field));
    if (!measures[measure]?.isNumber) {
      const numbers = measures.filter(({ isNumber }) => isNumber);
      throw badRequest(mustBe('a selected number', numbers), `having.${n}.field`);
    }
    return Object.entries(conditions).flatMap(([name, operand]) => {
      if (operand === null) throw badRequest(messages.notNull, `having.${n}.${name}`);
      const operator = operators[name];
      return operator && isNumber(operand) ? [{ measure, operator, operand: String(operand) }] : [];
    });
  });
}

/** Values by names in the response. Without a prototype, as a client can name one `__proto__`. */
const noValues = () => Object.create(null) as Group;

/** The values of a group, by the names of its fields in the response. */
function toGroup({ keys, measures, totalOf = [] }: FoundGroup, plan: GroupPlan): Group {
  const group = noValues();
  const set = (path: readonly string[], value: unknown) => {
    let at = group;
    for (const name of path.slice(0, -1)) at = (at[name] ??= noValues()) as Group;
    at[path.at(-1) as string] = value;
  };
  for (const [n, { path }] of plan.keys.entries()) set(path, keys[n]);
  for (const [n, { path }] of [...plan.measures, ...plan.derived].entries()) set(path, measures[n]);
  for (const { path } of plan.totalOf)
    set(
      path,
      totalOf.map((place) => plan.keys[place]?.path.join('.')),
    );
  return group;
}
