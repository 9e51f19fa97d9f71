import { nilUuid } from '../../formats.ts';
import { allOf } from '../read/conditions.ts';
import { fieldSql } from '../read/models.ts';
import type { Statement } from '../read/statement.ts';

/**
 * A reference to a user that is stored only while they are active: otherwise it refers to nobody, so that the foreign
 * key of its column rejects the statement.
 */
export class ActiveUser {
  constructor(
    readonly companyId: string,
    readonly id: string,
  ) {}
}

/** The id of an active user in SQL, as a part of the statement that writes it. */
export function activeUserSql(statement: Statement, { companyId, id }: ActiveUser): string {
  const model = statement.modelOf('User');
  const alias = statement.alias(model);
  const column = (name: string) => fieldSql(model, name, alias);
  const conditions = [
    `${column('companyId')} = ${statement.value(companyId, 'uuid')}`,
    `${column('id')} = ${statement.value(id, 'uuid')}`,
    `${column('deactivatedAt')} IS NULL`,
  ];
  const found = `SELECT ${column('id')} FROM "${model.table}" AS ${alias} WHERE ${allOf(conditions)}`;
  return `coalesce((${found}), '${nilUuid}'::uuid)`;
}

/** New rows, with the SQL of their values. */
interface CheckedRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The columns that are checked. */
  readonly checked: ReadonlySet<string>;
  /** Whom these name; those whose activity is known by their ids alone. */
  readonly users: readonly unknown[];
}

/** New rows in their order, whose users are checked by one subquery; it replaces `VALUES`, where there are several. */
export function checkingUsers(statement: Statement, { columns, rows, checked, users }: CheckedRows): string {
  const model = statement.modelOf('User');
  const alias = statement.alias(model);
  const user = (name: string) => fieldSql(model, name, alias);
  const mustBeActive = users.filter((each) => each instanceof ActiveUser);
  const known = users.filter((each) => !(each instanceof ActiveUser));
  const conditions = [
    `${user('companyId')} = ${statement.value(mustBeActive[0]?.companyId, 'uuid')}`,
    `${user('id')} = ANY (${statement.value([...new Set(mustBeActive.map(({ id }) => id))], 'uuid[]')})`,
    `${user('deactivatedAt')} IS NULL`,
  ];
  const ids = `array_agg(${user('id')}) || ${statement.value([...new Set(known)], 'uuid[]')}`;
  const active = `SELECT ${ids} AS ids FROM "${model.table}" AS ${alias} WHERE ${allOf(conditions)}`;
  const selected = columns.map((column, n) =>
    checked.has(column)
      ? `CASE WHEN given.c${n} = ANY (active.ids) OR given.c${n} IS NULL THEN given.c${n} ELSE '${nilUuid}'::uuid END`
      : `given.c${n}`,
  );
  const values = rows.map((row) => `(${row.join(', ')})`).join(', ');
  const given = `(VALUES ${values}) AS given (${columns.map((_, n) => `c${n}`).join(', ')})`;
  // Joined with a single row, they keep their order.
  return `SELECT ${selected.join(', ')} FROM ${given} CROSS JOIN (${active}) AS active`;
}
