import { GraphQLScalarType } from 'graphql';
import type { Writer } from '../../auth/roles.ts';
import type { FieldErrors } from '../../errors.ts';
import type { EnumSpelling } from '../../fields/index.ts';
import { snakeCase } from '../../names.ts';
import { isHiddenFromSome } from '../access/hidden-columns.ts';
import { apiField, type Row, type Stored } from '../definition/model.ts';
import type { Policies } from '../definition/policy.ts';
import { type RowPlan, showRow } from './plan.ts';

/** The columns of a type that the API shows. */
export interface ShownColumns extends Stored {
  readonly columns: readonly string[];
}

/** The plans of a type's rows as they were. */
export interface ImagePlan {
  /** By GraphQL's names, with enum members. */
  readonly inGraphql: RowPlan;
  /** By REST's names, with REST's words. */
  readonly inRest: RowPlan;
}

/** Plans the columns that the API shows. The log has rows as the database does, without their relations. */
export function planImage(shown: ShownColumns, policies: Policies): ImagePlan {
  const planOf = (keyOf: (column: string) => string, spelling: EnumSpelling): RowPlan =>
    shown.columns.map((column) => {
      const { inImage, type } = apiField(shown, column);
      const hiddenBy = isHiddenFromSome(policies, column) ? policies : undefined;
      const show = (value: unknown) => type.shown(value, spelling);
      return { key: keyOf(column), column, spelling, hiddenBy, valueIn: inImage, show };
    });
  return { inGraphql: planOf((column) => column, 'member'), inRest: planOf(snakeCase, 'mapped') };
}

/** A row as it was, as a caller may see it. */
export class RowImage {
  /** @param stored the row as the database has it, by its column names */
  constructor(
    private readonly plan: ImagePlan,
    readonly stored: Readonly<Row>,
    private readonly caller: Writer,
  ) {}

  /** Its values by GraphQL's names, with enum members. */
  readonly inGraphql = (): Row => showRow(this.plan.inGraphql, this.stored, this.caller);

  /** Its values by REST's names, with REST's words. */
  readonly inRest = (): Row => showRow(this.plan.inRest, this.stored, this.caller);
}

/** A field's name, which REST spells in snake case. It is an output type only. */
export const FieldNameScalar = new GraphQLScalarType<string, string>({
  name: 'FieldName',
  description: 'The name of a field, spelled as in its type.',
  extensions: { serializeInRest: (name: unknown) => snakeCase(String(name)) },
});

/** What is wrong with the fields of an input. It is an output type only. */
export const FieldErrorsScalar = new GraphQLScalarType<FieldErrors, FieldErrors>({
  name: 'FieldErrors',
  description: 'What is wrong with fields, as a JSON object: a message by field.',
  extensions: {
    serializeInRest: (errors: unknown) =>
      Object.fromEntries(Object.entries(errors as FieldErrors).map(([field, text]) => [snakeCase(field), text])),
  },
});

/** A row as it was, as a JSON object. It is an output type only. */
export const RowImageScalar = new GraphQLScalarType({
  name: 'RowImage',
  description: 'A row as it was: an object with the fields of its type that are columns, spelled as in the row.',
  serialize: (value) => (value as RowImage).inGraphql(),
  extensions: { serializeInRest: (value: unknown) => (value as RowImage).inRest() },
});
