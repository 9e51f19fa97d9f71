// The rows of a page in SQL: their condition, order and range.
import { decimal } from '../../fields/index.ts';
import type { StoredField } from '../stored-field.ts';
import { allOf, conditionsOf, type Opened, open, openRelated, type Where } from './conditions.ts';
import type { ListFigure } from './list-figure.ts';
import { joinFigures, ListValues } from './list-figures.ts';
import { fieldOf, joinOf, type SqlModel, sortableSql } from './models.ts';
import type { Slot } from './slot.ts';
import type { Statement } from './statement.ts';

/** A row, as Prisma loads it. */
export type Row = Record<string, unknown>;

/** A column with its direction, or a relation with a key of its rows. */
type OrderKey = Readonly<Record<string, unknown>>;

/** Which rows `findMany` reads, as Prisma's arguments. */
export interface PageArgs {
  readonly where?: Where;
  /**
   * As which type of the API the rows are read, where their model has several. Null reads rows that the caller cannot
   * access too, for checks of the service's own.
   */
  readonly as?: string | null;
  readonly orderBy?: OrderKey | readonly OrderKey[];
  readonly take?: number;
  readonly skip?: number | Slot;
  /** Whether the rows are locked until the transaction ends; rows that refer to them can still be written. */
  readonly lock?: boolean;
}

/**
 * Selects columns of the rows of a page.
 *
 * @param opened the table, where it is that of related rows
 * @param shown selects the columns of the rows that this to-one relation leads to, in the order of the page
 */
export function rowsSql(
  statement: Statement,
  model: SqlModel,
  alias: string,
  args: PageArgs,
  columns: ReadonlySet<string>,
  opened?: Opened,
  shown?: string,
): string {
  const joins: Joins = new Map();
  const from = shown === undefined ? { model, alias } : joinRelated(statement, model, alias, shown, joins);
  // Of fields that are members of one column, that column once.
  const list = new Set([...columns].map((name) => `${from.alias}."${fieldOf(from.model, name).column}"`));
  return `SELECT ${[...list].join(', ') || '1'} ${rowsOf(statement, model, alias, args, opened, joins)}`;
}

/** The keys of a page's order: each a column or relation, with its direction or the key of the related rows. */
export function orderKeys({ orderBy }: PageArgs): [name: string, direction: unknown][] {
  return [orderBy ?? []].flat().flatMap((key) => Object.entries(key));
}

/**
 * What follows the columns of a page's `SELECT`.
 *
 * @param related the table, where it is that of related rows
 * @param joins those that the columns need already
 */
export function rowsOf(
  statement: Statement,
  model: SqlModel,
  alias: string,
  args: PageArgs,
  related?: Opened,
  joins: Joins = new Map(),
): string {
  const { where = {}, take, skip, lock } = args;
  const { from, conditions } = related ?? open(statement, model, alias, args.as);
  const values = new ListValues(statement);
  const figureJoins: string[] = [];
  const isWhole = !related && joinFigures(statement, { model, alias }, where, args.as, values, figureJoins);
  const figures: Figures = { values, path: [], joins: isWhole ? figureJoins : undefined };
  const order = orderKeys(args).map((key, n) => {
    const { sql, field, direction } = orderKey(statement, model, alias, key, joins, figures);
    return `${sortableSql(n === 0 && related && isWalked(model, key) ? `COALESCE(${sql}, ${sql})` : sql, field)} ${direction}`;
  });
  const all = allOf([...conditions, ...conditionsOf(statement, model, alias, where)]);
  return [
    `FROM ${from}`,
    ...[...joins.values()].map(({ sql }) => sql),
    ...figureJoins,
    'WHERE',
    all,
    order.length > 0 && `ORDER BY ${order.join(', ')}`,
    // Not a placeholder: PostgreSQL would expect a tenth of the table, and plan the statement for each use.
    take !== undefined && `LIMIT ${Math.trunc(take)}`,
    skip && `OFFSET ${statement.value(skip, 'bigint')}`,
    lock && `FOR NO KEY UPDATE OF ${alias}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/**
 * Whether PostgreSQL could read a list inside a row in the order of an index that does not begin with that row. For a
 * row with a short list it would then read the rows of the whole company. The order by time has an index that begins
 * with the row.
 */
const isWalked = ({ roles }: SqlModel, [name]: [name: string, direction: unknown]): boolean =>
  name !== roles.creation?.name;

/** A table that is joined for its columns. */
interface Joined {
  readonly model: SqlModel;
  readonly alias: string;
  readonly sql: string;
}

/** The joined tables of a page, by the relation that leads to each: several keys of one related row join it once. */
type Joins = Map<string, Joined>;

function joinRelated(statement: Statement, model: SqlModel, alias: string, relation: string, joins: Joins): Joined {
  const key = `${alias}.${relation}`;
  const known = joins.get(key);
  if (known) return known;
  const join = joinOf(model, relation);
  const target = statement.modelOf(join.model);
  const inner = statement.alias(target);
  const { from, conditions } = openRelated(statement, model, alias, join, inner);
  const sql = `LEFT JOIN ${from} ON ${allOf(conditions)}`;
  const joined = { model: target, alias: inner, sql };
  joins.set(key, joined);
  return joined;
}

/** What is computed of lists for a page's order; `joins` receives the joins of those of all rows. */
interface Figures {
  readonly values: ListValues;
  /** The relations to the row that has the list. */
  readonly path: readonly string[];
  readonly joins: string[] | undefined;
}

/**
 * A sort key: the SQL of its column, and its direction.
 * @param joins receives the joins of related rows: for a page of many rows they take a tenth of a subquery's time
 */
function orderKey(
  statement: Statement,
  model: SqlModel,
  alias: string,
  [name, direction]: [string, unknown],
  joins: Joins,
  figures: Figures,
): { sql: string; field: Pick<StoredField, 'type'>; direction: string } {
  if (model.joins[name]?.list) {
    // The order of a list is that of a figure of it.
    const { figure: of, order } = direction as { figure: ListFigure; order: unknown };
    const row = { model, alias };
    const sql = figures.values.sql({ kind: 'figure', joins: figures.path, of }, row, figures.joins);
    return { sql, field: { type: decimal }, direction: directionSql(order) };
  }
  if (model.joins[name]) {
    const related = joinRelated(statement, model, alias, name, joins);
    // Prisma's types allow a relation nothing but a key of its rows.
    const [key] = Object.entries(direction as OrderKey);
    if (!key) throw new Error(`The sort key ${name} is empty.`);
    return orderKey(statement, related.model, related.alias, key, joins, { ...figures, path: [...figures.path, name] });
  }
  // And a column nothing but a direction.
  const field = fieldOf(model, name);
  return { sql: field.sql(alias), field, direction: directionSql(direction) };
}

function directionSql(direction: unknown): string {
  const { sort, nulls } = (typeof direction === 'string' ? { sort: direction } : direction) as Record<string, string>;
  return [sort === 'desc' ? 'DESC' : 'ASC', nulls && `NULLS ${nulls.toUpperCase()}`].filter(Boolean).join(' ');
}
