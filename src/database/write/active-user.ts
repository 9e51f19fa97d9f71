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
