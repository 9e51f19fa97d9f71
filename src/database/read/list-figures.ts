// What is computed of the rows of a list, for each row that has it.
import { allOf, comparesFigures, conditionsOf, listFigureSql, listMeasureSql, open, type Where } from './conditions.ts';
import type { ListValue } from './group-query.ts';
import type { ListFigure } from './list-figure.ts';
import { fieldSql, joinOf, type SqlModel } from './models.ts';
import type { Statement } from './statement.ts';

/** What is computed of lists, each once in a statement. */
export class ListValues {
  private readonly figures = new Map<string, string>();

  constructor(private readonly statement: Statement) {}

  /**
   * The SQL of a value of a row.
   *
   * @param joins the joins of the statement, if it reads all rows of a company: the figures of all lists are then
   *   joined
   */
  sql({ kind, joins: path, of }: ListValue, row: { model: SqlModel; alias: string }, joins?: string[]): string {
    const { model, alias } = row;
    const key = JSON.stringify([alias, of], (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
    const figure =
      this.figures.get(key) ?? (path.length > 0 ? this.relatedSql(of, row) : this.figureSql(of, row, joins));
    this.figures.set(key, figure);
    if (kind === 'figure') return figure;
    const { creation } = model.roles;
    if (!creation) throw new Error(`Rows of ${model.table} have no time of creation.`);
    return `(extract(epoch FROM (${figure} - ${creation.sql(alias)})) / 3600)`;
  }

  /** Of a row that relations lead to: without that row there is no count either. */
  private relatedSql(of: ListFigure, row: { model: SqlModel; alias: string }): string {
    const figure = this.figureSql(of, row);
    return of.measure === 'count'
      ? `CASE WHEN ${fieldSql(row.model, 'id', row.alias)} IS NOT NULL THEN ${figure} END`
      : figure;
  }

  private figureSql(of: ListFigure, { model, alias }: { model: SqlModel; alias: string }, joins?: string[]): string {
    const all = joins && listFiguresSql(this.statement, model, of);
    if (all === undefined) return listFigureSql(this.statement, model, alias, of);
    const name = `figures${this.figures.size}`;
    joins?.push(`LEFT JOIN (${all}) AS ${name} ON ${name}.id = ${fieldSql(model, 'id', alias)}`);
    return of.measure === 'count' ? `coalesce(${name}.figure, 0)` : `${name}.figure`;
  }
}

/**
 * Joins what is computed of lists to all rows of a company, where a condition compares it alone: a subquery for each
 * row takes far longer.
 *
 * @param type as which type of the API the rows are read; see `PageArgs`
 * @param joins receives the joins once the conditions are written
 * @returns whether all rows are read; where the condition leaves few, nothing is joined
 */
export function joinFigures(
  statement: Statement,
  row: { model: SqlModel; alias: string },
  where: Where,
  type: string | null | undefined,
  values: ListValues,
  joins: string[],
): boolean {
  if (!comparesFigures(row.model, where) || statement.rowFilter(row.model, type ?? undefined)) return false;
  statement.joinedFigures.set(row.alias, (of) => values.sql({ kind: 'figure', joins: [], of }, row, joins));
  return true;
}

/**
 * The figures of the lists of all rows that have some, by the rows' ids: for many rows this takes a fraction of the
 * time that a subquery for each takes.
 *
 * @returns a query with the columns `id` and `figure`; undefined for a list that rows are not found by, without others
 */
function listFiguresSql(statement: Statement, model: SqlModel, figure: ListFigure): string | undefined {
  const { relation, measure, through, where = {}, as } = figure;
  const join = joinOf(model, relation);
  const [pair, ...others] = join.onWithinCompany;
  if (through || !pair || others.length > 0 || pair[0] !== model.roles.key?.name) return undefined;
  const list = statement.modelOf(join.model);
  const inner = statement.alias(list);
  const { from, conditions } = open(statement, list, inner, as);
  const matching = statement.inside(() => conditionsOf(statement, list, inner, where));
  const id = fieldSql(list, pair[1], inner);
  const all = allOf([...conditions, ...matching, `${id} IS NOT NULL`]);
  return `SELECT ${id} AS id, ${listMeasureSql(list, inner, measure)} AS figure FROM ${from} WHERE ${all} GROUP BY 1`;
}
