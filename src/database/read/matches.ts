// Conditions on rows that are given, such as earlier versions of rows from the log of changes.
import { stringifyJson } from '../../json.ts';
import { allOf, conditionsOf, type Where } from './conditions.ts';
import type { Compiled } from './find.ts';
import type { Access, RowFilter } from './row-access.ts';
import type { Row } from './rows.ts';
import { Statement } from './statement.ts';

/** A condition on rows that are given. */
export interface GivenCondition {
  readonly where: Where;
  /** The row filters of the related rows that it compares with; by default those of the reader. */
  readonly filterOf?: RowFilter;
}

/** Rows of a model, by the database's names of columns, and conditions that are asked of each. */
export interface GivenRows {
  readonly model: string;
  readonly rows: readonly Row[];
  readonly conditions: readonly GivenCondition[];
}

/** Which conditions a row meets, by its place and that of its part. */
interface Matched {
  readonly part: number;
  readonly place: number;
  readonly matched: readonly boolean[];
}

/**
 * Compiles conditions on given rows, of any number of models. Related rows are read from the database.
 *
 * @returns for each row its place, from 0, and whether it matches each condition
 */
export function compileMatches(access: Access, parts: readonly GivenRows[]): Compiled<Matched> {
  const statement = new Statement(access);
  const texts = parts.map(({ model: name, rows, conditions }, part) => {
    const model = statement.modelOf(name);
    const given = statement.value(stringifyJson(rows), 'jsonb');
    const alias = statement.alias(model);
    const results = conditions.map(({ where, filterOf = access.filterOf }) =>
      statement.filteredBy(filterOf, () => `coalesce(${allOf(conditionsOf(statement, model, alias, where))}, false)`),
    );
    return (
      `SELECT ${part} AS part, given.place - 1 AS place, ARRAY[${results.join(', ')}]::boolean[] AS matched ` +
      `FROM jsonb_array_elements(${given}) WITH ORDINALITY AS given (stored, place) ` +
      `CROSS JOIN LATERAL jsonb_populate_record(NULL::"${model.table}", given.stored) AS ${alias}`
    );
  });
  const decode = ([part, place, matched]: readonly (string | null)[]) => ({
    part: Number(part),
    place: Number(place),
    matched: (matched ?? '')
      .slice(1, -1)
      .split(',')
      .map((each) => each === 't'),
  });
  return { text: texts.join(' UNION ALL '), values: statement.values, tables: statement.tables, decode };
}
