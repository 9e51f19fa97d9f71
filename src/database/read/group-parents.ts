// The rows whose lists are grouped, in SQL.
import { allOf, conditionsOf, open, relationSql } from './conditions.ts';
import type { GroupParents } from './group-query.ts';
import { fieldSql, joinOf } from './models.ts';
import type { Statement } from './statement.ts';

/**
 * The condition for the rows of the lists that are grouped.
 *
 * @param ids the placeholder of the parents' ids, where the lists are read together; otherwise `p` is the parent
 */
export function parentCondition(
  statement: Statement,
  parents: GroupParents,
  alias: string,
  ids: string | undefined,
): string {
  const { model: name, relation, through } = parents;
  if (ids !== undefined) return `${parentColumnSql(statement, parents, alias)} = ANY(${ids})`;
  const refersTo = (from: string) => `${parentColumnSql(statement, parents, from)} = p.id`;
  if (!through) return refersTo(alias);
  const target = statement.modelOf(joinOf(statement.modelOf(name), relation).model);
  const link = statement.alias(target);
  const next = joinOf(target, through.to);
  const opened = open(statement, target, link, through.as);
  const conditions = [
    ...opened.conditions,
    refersTo(link),
    ...relationSql(statement, target, link, next, alias),
    ...conditionsOf(statement, target, link, through.where ?? {}),
  ];
  return `EXISTS (SELECT 1 FROM ${opened.from} WHERE ${allOf(conditions)})`;
}

/** The column that refers to the row whose list is grouped. */
export function parentColumnSql(statement: Statement, { model: name, relation }: GroupParents, alias: string): string {
  const parent = statement.modelOf(name);
  const { model, on } = joinOf(parent, relation);
  const column = on.find(([mine]) => mine === parent.roles.key?.name)?.[1];
  if (column === undefined) throw new Error(`${parent.table} has no list ${relation}.`);
  return fieldSql(statement.modelOf(model), column, alias);
}
