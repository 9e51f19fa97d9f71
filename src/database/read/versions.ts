// Rows of a table as the database has them, each with its version.
import { allOf, open } from './conditions.ts';
import type { Compiled } from './find.ts';
import { fieldSql } from './models.ts';
import type { Access } from './row-access.ts';
import { Statement } from './statement.ts';

/** A row as the database has it, and its latest change. */
export interface VersionedRow {
  readonly id: string;
  /** The `seq` of the change; 0 if the log has none. */
  readonly version: string;
  /** The row as JSON, by the database's names of columns. */
  readonly image: string;
}

/**
 * Compiles the rows of the company by their ids, each with its version. Row filters are asked of the images, as they
 * are of those in the log.
 *
 * @param after only rows with a higher id
 */
export function compileVersions(access: Access, name: string, after: string, limit: number): Compiled<VersionedRow> {
  // Of the companies of a person, the one that they are in.
  const statement = new Statement({ ...access, memberId: undefined });
  const model = statement.modelOf(name);
  const changes = statement.modelOf('Change');
  const [row, change] = [statement.alias(model), statement.alias(changes)];
  const id = fieldSql(model, 'id', row);
  const rows = open(statement, model, row, null);
  const log = open(statement, changes, change);
  const ofRow = allOf([...log.conditions, `${change}.row_id = ${id}`, `${change}.table_name = '${model.table}'`]);
  const version = `coalesce((SELECT ${change}.seq FROM ${log.from} WHERE ${ofRow} ORDER BY ${change}.seq DESC LIMIT 1), 0)`;
  const wanted = allOf([...rows.conditions, `${id} > ${statement.value(after, 'uuid')}`]);
  return {
    text: `SELECT ${id}, ${version}, to_jsonb(${row}) FROM ${rows.from} WHERE ${wanted} ORDER BY ${id} LIMIT ${Math.trunc(limit)}`,
    values: statement.values,
    tables: statement.tables,
    decode: ([id, version, image]) => ({ id: String(id), version: String(version), image: String(image) }),
  };
}
