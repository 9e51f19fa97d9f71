import type { EnumRef, InputFieldBuilder, InputType, OutputType } from '@pothos/core';
import { builder, type SchemaTypes } from './builder.ts';
import { columnFacts, enumFacts, type ModelName } from './model.ts';
import type { Rule } from './validate.ts';

/** A GraphQL type that can go in and out. */
export type ColumnType = InputType<SchemaTypes> & OutputType<SchemaTypes>;

const scalars: Record<string, ColumnType> = {
  Uuid: 'ID',
  String: 'String',
  Int: 'Int',
  Decimal: 'Float',
  Boolean: 'Boolean',
  Date: 'Date',
  DateTime: 'DateTime',
};

const enums = new Map<string, EnumRef<SchemaTypes, string>>();

/** The GraphQL type of a column's values. */
export function columnType(model: ModelName, column: string): ColumnType {
  const { type, enum: isEnum } = columnFacts(model, column);
  const found = isEnum ? enumType(type) : scalars[type];
  if (!found) throw new Error(`${model}.${column}: no GraphQL type stands for ${type}`);
  return found;
}

/** The input field of a column; it tells readers of the schema of its column and rule. */
export function inputField(
  t: InputFieldBuilder<SchemaTypes, 'InputObject'>,
  model: ModelName,
  column: string,
  required: boolean,
  rule?: Rule,
) {
  const type = columnType(model, column);
  const { list, documentation } = columnFacts(model, column);
  return t.field({
    type: list ? [type] : type,
    required,
    description: documentation,
    extensions: { column: [model, column], rule },
  });
}

/**
 * The GraphQL enum of a Prisma enum. GraphQL's names are in capitals; each carries the word that REST uses.
 * @param options.anyCase REST takes the words in any letter case.
 */
export function enumType(name: string, options: { anyCase?: boolean } = {}): EnumRef<SchemaTypes, string> {
  const existing = enums.get(name);
  if (existing) return existing;
  const { documentation, words } = enumFacts(name);
  const created: EnumRef<SchemaTypes, string> = builder.enumType(name, {
    description: documentation,
    extensions: { anyCase: options.anyCase ?? false },
    values: Object.fromEntries(
      Object.entries(words).map(([member, word]) => [
        member,
        { value: member, description: `\`${word}\` in REST.`, extensions: { word } },
      ]),
    ),
  });
  enums.set(name, created);
  return created;
}
