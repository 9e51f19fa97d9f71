// Which rows a caller can access now, of rows that are known by their ids.

import { allOf, conditionsOf, open } from './conditions.ts';
import type { Compiled } from './find.ts';
import { fieldSql, type SqlModel } from './models.ts';
import { type Access, noFilter } from './row-access.ts';
import { Statement } from './statement.ts';

/** Rows that are looked for. */
export interface WantedRows {
  readonly model: string;
  /** As which type of the API they would be read, where the model has several. */
  readonly as?: string;
  readonly ids: readonly string[];
  /** Whether a row that was deleted is accessible as it was before, as far as the log still has it. */
  readonly deletedToo?: boolean;
}

/** A row that is accessible, by its part. */
interface AccessibleRow {
  readonly part: number;
  readonly id: string;
}

/** Compiles which rows exist and the caller can access, of any number of models. */
export function compileAccessible(access: Access, parts: readonly WantedRows[]): Compiled<AccessibleRow> {
  const statement = new Statement(access);
  const texts = parts.map(({ model: name, as, ids, deletedToo }, part) => {
    const model = statement.modelOf(name);
    const wanted = `unnest(${statement.value(ids, 'uuid[]')}) AS wanted (id)`;
    const exists = existsSql(statement, model, as);
    const found = deletedToo
      ? `(${exists} OR (NOT ${existsSql(statement, model, null)} AND ${deletedSql(statement, model, as)}))`
      : exists;
    return `SELECT ${part} AS part, wanted.id FROM ${wanted} WHERE ${found}`;
  });
  const decode = ([part, id]: readonly (string | null)[]) => ({ part: Number(part), id: String(id) });
  return { text: texts.join(' UNION ALL '), values: statement.values, tables: statement.tables, decode };
}

function existsSql(statement: Statement, model: SqlModel, as: string | null | undefined): string {
  const alias = statement.alias(model);
  const { from, conditions } = open(statement, model, alias, as);
  const id = fieldSql(model, 'id', alias);
  return `EXISTS (SELECT 1 FROM ${from} WHERE ${allOf([...conditions, `${id} = wanted.id`])})`;
}

/** Whether the row meets the row filter as its last change in the log has it. */
function deletedSql(statement: Statement, model: SqlModel, as: string | undefined): string {
  const filter = statement.rowFilter(model, as) ?? {};
  const changes = statement.modelOf('Change');
  const [change, row] = [statement.alias(changes), statement.alias(model)];
  const { from, conditions } = open(statement, changes, change);
  const ofRow = [...conditions, `${change}.row_id = wanted.id`, `${change}.table_name = '${model.table}'`];
  const last = `SELECT ${change}.before FROM ${from} WHERE ${allOf(ofRow)} ORDER BY ${change}.seq DESC LIMIT 1`;
  const image = `jsonb_populate_record(NULL::"${model.table}", last.before) AS ${row}`;
  const filtered = allOf(statement.filteredBy(noFilter, () => conditionsOf(statement, model, row, filter)));
  return `EXISTS (SELECT 1 FROM (${last}) AS last CROSS JOIN LATERAL ${image} WHERE ${filtered})`;
}
