// Example values: those that the schema and the columns declare, and otherwise one of the value's type.
import { createHash } from 'node:crypto';
import { modelFacts } from '../../resource/index.ts';
import type { Column } from './columns.ts';
import type { JsonSchema } from './types.ts';

/** An id for examples, the same for the same `key`. */
export function exampleId(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex');
  return `019b6f3c-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
}

const createdAt = '2026-03-02T09:14:07.412Z';
const updatedAt = '2026-03-03T15:40:22.108Z';

/** A value of each scalar. */
const byScalar: Readonly<Record<string, unknown>> = {
  String: 'Text',
  Int: 4,
  Float: 12.5,
  Boolean: true,
  Date: '2026-04-01',
  DateTime: updatedAt,
  Counts: { pending: 4, completed: 9 },
};

/**
 * The example of a value.
 * @param scalar the name of its GraphQL type
 * @param column the column it stands for, if any
 * @param owner the type that it is a field of
 */
export function exampleOf(scalar: string, column: Column | undefined, owner: string): unknown {
  if (scalar === 'ID') return exampleId(column ? keyOf(column) : owner);
  const { example, updatedAt: isUpdated, now } = column?.facts ?? {};
  if (example != null) return example;
  if (isUpdated) return updatedAt;
  if (now && scalar === 'DateTime') return createdAt;
  return byScalar[scalar];
}

/** What the id in a column is of: a row's own, that of the row it refers to, or that of something elsewhere. */
function keyOf({ model, name }: Column): string {
  if (name === 'id') return model;
  const { references } = modelFacts(model);
  const target = references[name];
  if (!target) return `${model}.${name}`;
  // The two buildings of a transfer are not the same.
  const first = Object.keys(references).find((column) => references[column] === target);
  return first === name ? target : `${target}.${name}`;
}

/** The example of a whole value, composed of those of its parts. @param all the schemas that it may refer to */
export function exampleValue(schema: JsonSchema, all: Readonly<Record<string, JsonSchema>>): unknown {
  const {
    $ref,
    examples,
    enum: words,
    const: only,
    anyOf,
    properties,
    required,
    items,
  } = schema as {
    $ref?: string;
    examples?: unknown[];
    enum?: unknown[];
    const?: unknown;
    anyOf?: JsonSchema[];
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
    items?: JsonSchema;
  };
  if (examples) return examples[0];
  if ($ref) return exampleValue(all[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}, all);
  if (anyOf?.[0]) return exampleValue(anyOf[0], all);
  if (properties) {
    // A response has its optional fields only on request.
    const shown = Object.entries(properties).filter(
      ([name, { readOnly }]) => !readOnly || !required || required.includes(name),
    );
    return Object.fromEntries(shown.map(([name, value]) => [name, exampleValue(value, all)]));
  }
  if (items) return [exampleValue(items, all)];
  return only ?? words?.[0] ?? null;
}
