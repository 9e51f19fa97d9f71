import { GraphQLScalarType } from 'graphql';
import { snakeCase } from '../names.ts';
import { columnFacts, type EnumName, enumFacts, type ModelName, type Row } from './model.ts';

/** The columns of a type that the API shows. */
export interface ShownColumns {
  readonly model: ModelName;
  readonly columns: readonly string[];
}

/** A row as it was, with the columns that the API shows. */
export class RowImage {
  /** @param stored the row as the database has it, by its column names */
  constructor(
    private readonly shown: ShownColumns,
    readonly stored: Readonly<Row>,
  ) {}

  /** Its values by GraphQL's names, with enum members. */
  readonly inGraphql = (): Row => this.values((column) => column, memberOf);

  /** Its values by REST's names, with REST's words. */
  readonly inRest = (): Row => this.values(snakeCase, (_, word) => word);

  private values(nameOf: (column: string) => string, enumValue: (type: EnumName, word: string) => unknown): Row {
    const { model, columns } = this.shown;
    return Object.fromEntries(
      columns.map((column) => {
        const { type, enum: isEnum } = columnFacts(model, column);
        const value = this.stored[databaseName(model, column)] ?? null;
        const isTime = type === 'DateTime' && typeof value === 'string';
        return [
          nameOf(column),
          isTime ? new Date(value).toISOString() : isEnum && value !== null ? enumValue(type, value as string) : value,
        ];
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
