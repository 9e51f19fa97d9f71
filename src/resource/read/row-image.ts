import { GraphQLScalarType } from 'graphql';
import type { EnumSpelling } from '../../fields/index.ts';
import { snakeCase } from '../../names.ts';
import { apiField, isEnum, type Row, type Stored } from '../definition/model.ts';

/** The columns of a type that the API shows. */
export interface ShownColumns extends Stored {
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
    return Object.fromEntries(
      this.shown.columns.map((name) => {
        const { inImage, type } = apiField(this.shown, name);
        const value = this.hidden.includes(name) ? null : inImage(this.stored);
        return [nameOf(name), value === null ? null : type.shown(value, spelling)];
      }),
    );
  }
}

/** Whether rows have a status, whose periods are kept. */
export const hasStatus = (rows: ShownColumns): boolean =>
  rows.columns.includes('status') && isEnum(apiField(rows, 'status'));

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
