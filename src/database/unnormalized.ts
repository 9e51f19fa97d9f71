import pg from 'pg';
import { text } from '../fields/index.ts';
import type { Database } from './database.ts';
import { modelOf } from './read/schema-models.ts';

/** A text in another of Unicode's forms than the one in which texts are stored and compared. */
interface UnnormalizedText {
  /** The slug of the company. */
  readonly company: string;
  readonly table: string;
  readonly column: string;
  readonly rowId: string;
}

/**
 * Finds texts of companies that are older than the rule that texts are stored in one form: those that the migration to
 * it left, as they would be the same as another row's where that must not be, or too long.
 *
 * @param models the models whose rows are looked at: those that have a company
 */
export async function findUnnormalized(
  { query }: Pick<Database, 'query'>,
  models: readonly string[],
): Promise<UnnormalizedText[]> {
  const found: UnnormalizedText[] = [];
  for (const model of models.map(modelOf)) {
    const texts = Object.values(model.fields).filter(({ type }) => type === text);
    for (const { column } of texts) found.push(...(await findIn(query, model.table, column)));
  }
  return found;
}

async function findIn(query: Database['query'], table: string, column: string): Promise<UnnormalizedText[]> {
  const sql = `stored.${pg.escapeIdentifier(column)}`;
  const { rows } = await query({
    text: `
      SELECT slug AS company, stored.id::text AS "rowId"
        FROM ${pg.escapeIdentifier(table)} AS stored JOIN companies ON companies.id = stored.company_id
       WHERE octet_length(${sql}) > char_length(${sql}) AND ${sql} IS NOT NFC NORMALIZED
       ORDER BY slug, stored.id`,
  });
  return rows.map(({ company, rowId }) => ({ company: String(company), table, column, rowId: String(rowId) }));
}
