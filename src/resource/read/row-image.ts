import { GraphQLScalarType } from 'graphql';
import type { EnumSpelling } from '../../fields/index.ts';
import { snakeCase } from '../../names.ts';
import { columnFacts, type EnumName, enumFacts, fieldTypeOf, type ModelName, type Row } from '../definition/model.ts';

/** The columns of a type that the API shows. */
export interface ShownColumns {
  readonly model: ModelName;
  readonly columns: readonly string[];
}

/** A row as it was, with the columns that the API shows. */
export class RowImage {
  /**
   * @param stored the row as the database has it, by its column names
   * @param hidden the columns that the reader may not read: they are null
   */
  constructor(
    private readonly shown: ShownColumns,
    readonly stored: Readonly<Row>,
    private readonly hidden: readonly string[] = [],
  ) {}

  /** Its values by GraphQL's names, with enum members. */
  readonly inGraphql = (): Row => this.values((column) => column, 'member');

  /** Its values by REST's names, with REST's words. */
  readonly inRest = (): Row => this.values(snakeCase, 'mapped');

  private values(nameOf: (column: string) => string, spelling: EnumSpelling): Row {
    const { model, columns } = this.shown;
    return Object.fromEntries(
      columns.map((column) => {
        const value = this.hidden.includes(column) ? null : (this.stored[databaseName(model, column)] ?? null);
        return [nameOf(column), value === null ? null : fieldTypeOf(columnFacts(model, column)).shown(value, spelling)];
      }),
    );
  }
}

/** Whether rows have a status, whose periods are kept. */
export const hasStatus = ({ model, columns }: ShownColumns): boolean =>
  columns.includes('status') && columnFacts(model, 'status').enum;

/** A column's name in the database. */
export const databaseName = (model: ModelName, column: string): string =>
  columnFacts(model, column).databaseName ?? column;

/** The member of an enum that the database and REST spell as `word`. */
export const memberOf = (type: EnumName, word: string) =>
  Object.entries(enumFacts(type).mappedValues).find(([, known]) => known === word)?.[0] ?? word;

/** A field's name, which REST spells in snake case. It is an output type only. */
export const FieldNameScalar = new GraphQLScalarType<string, string>({
  name: 'FieldName',
  description: 'The name of a field, spelled as in its type.',
  extensions: { serializeInRest: (name: unknown) => snakeCase(String(name)) },
});

/** A row as it was, as a JSON object. It is an output type only. */
export const RowImageScalar = new GraphQLScalarType({
  name: 'RowImage',
  description: 'A row as it was: an object with the fields of its type that are columns, spelled as in the row.',
  serialize: (value) => (value as RowImage).inGraphql(),
  extensions: { serializeInRest: (value: unknown) => (value as RowImage).inRest() },
});
