import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { headerLimit } from '../../http/headers.ts';
import { snakeCase } from '../../names.ts';
import { mostLines } from '../../resource/lines.ts';
import { type ColumnFacts, columnFacts, longText, type ModelName, modelFacts } from '../../resource/model.ts';
import { ownedTypes } from '../../resource/registry.ts';
import { itemLength, mostItems, type Rule } from '../../resource/validate.ts';
import { fieldName } from '../names.ts';
import { exampleId, exampleOf, notYet } from './examples.ts';

/** A JSON Schema (2020-12), or a reference to one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A column and what the service knows of it. */
interface Column {
  readonly model: ModelName;
  readonly name: string;
  readonly facts: ColumnFacts;
  readonly rule?: Rule;
}

/** The schemas that several places of the document refer to. */
export class Schemas {
  readonly all: Record<string, JsonSchema> = {};

  /** @param schema the product's schema in REST's idiom */
  constructor(private readonly schema: GraphQLSchema) {}

  /** Refers to a schema by its name, and makes it when it is first asked for. */
  named(name: string, make: () => JsonSchema): JsonSchema {
    if (!(name in this.all)) {
      this.all[name] = {};
      this.all[name] = make();
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** What a resource looks like. @param readOnly which of its fields nothing takes @param optional fields that it may have besides */
  row(
    type: string,
    readOnly: (field: string) => boolean,
    optional: () => Readonly<Record<string, JsonSchema>>,
  ): JsonSchema {
    return this.named(type, () => {
      const { properties, ...object } = this.object(this.objectType(type), { readOnly });
      return { ...object, properties: { ...(properties as JsonSchema), ...optional() } };
    });
  }

  /** What a PATCH answers: the id, the fields that were sent, and when it was changed. */
  change(type: string, readOnly: (field: string) => boolean): JsonSchema {
    return this.named(`${type}Change`, () => ({
      ...this.object(this.objectType(type), { readOnly, required: ['id', 'updated_at'] }),
      description: 'The fields that were sent, besides the id and when it was last changed.',
    }));
  }

  private objectType(name: string): GraphQLObjectType {
    const found = this.schema.getType(name);
    if (!isObjectType(found)) throw new Error(`The schema has no object ${name}.`);
    return found;
  }

  private object(
    type: GraphQLObjectType,
    { readOnly, required }: { readOnly?: (field: string) => boolean; required?: readonly string[] } = {},
  ): JsonSchema {
    const fields = Object.entries(type.getFields());
    return {
      type: 'object',
      description: type.description,
      required: fields.map(([name]) => name).filter((name) => required?.includes(name) ?? true),
      properties: Object.fromEntries(
        fields.map(([name, field]) => [
          name,
          {
            ...this.output(field.type, type.name, name, columnOf(field, type)),
            ...(readOnly?.(name) && { readOnly: true }),
            ...told(field),
          },
        ]),
      ),
    };
  }

  private output(type: GraphQLOutputType, owner: string, name: string, column?: Column): JsonSchema {
    const bare = getNullableType(type);
    const schema = isListType(bare)
      ? {
          type: 'array',
          ...(column && { maxItems: mostItems }),
          ...(isObjectType(getNamedType(bare)) && ownedTypes.has(getNamedType(bare).name) && { maxItems: mostLines }),
          items: this.output(bare.ofType, owner, name, column),
        }
      : isObjectType(bare)
        ? this.named(bare.name, () => this.object(bare))
        : this.leaf(bare as GraphQLScalarType, owner, name, column, 'out');
    return isNonNullType(type) ? schema : { ...nullable(schema), ...(notYet.has(name) && { examples: [null] }) };
  }

  /** A body. Unknown fields are refused, so it has no others. */
  input(type: GraphQLInputObjectType, owner: string): JsonSchema {
    return this.named(type.name, () => {
      const fields = Object.values(type.getFields());
      const required = fields.filter((field) => isNonNullType(field.type)).map(({ name }) => fieldName(name));
      return {
        type: 'object',
        description: type.description,
        ...(required.length > 0 && { required }),
        properties: Object.fromEntries(
          fields.map((field) => [
            fieldName(field.name),
            { ...this.inputField(field, owner, type), ...told(field, placesOf(field), fallbackOf(field, type)) },
          ]),
        ),
        additionalProperties: false,
      };
    });
  }

  private inputField(field: GraphQLInputField, owner: string, body: GraphQLInputObjectType): JsonSchema {
    const column = columnOf(field);
    const least = field.extensions['least'];
    const schema = {
      ...this.value(getNullableType(field.type), owner, fieldName(field.name), column),
      ...(typeof least === 'number' && { minItems: least }),
    };
    // Null leaves a column out of a new row, but cannot clear one that must be set.
    return isNonNullType(field.type) || (column?.facts.required && isChange(body)) ? schema : nullable(schema);
  }

  private value(type: GraphQLInputType, owner: string, name: string, column?: Column): JsonSchema {
    if (isListType(type)) {
      const items = this.value(getNullableType(type.ofType), owner, name, column);
      return column ? { type: 'array', maxItems: mostItems, items } : { type: 'array', maxItems: mostLines, items };
    }
    if (isInputObjectType(type)) return this.input(type, type.name.replace(/^Batch|Input$/g, ''));
    return this.leaf(type as GraphQLScalarType, owner, name, column, 'in');
  }

  /** The id of a row of a type. */
  id(type: string): JsonSchema {
    return { ...uuid, examples: [exampleId(type)] };
  }

  /** A query parameter's value, or each of several. */
  parameter(
    { type, extensions }: Pick<GraphQLArgument, 'type' | 'extensions'>,
    owner: string,
    name: string,
  ): JsonSchema {
    return this.leaf(getNamedType(type) as GraphQLScalarType, owner, name, columnOf({ extensions }), 'in');
  }

  private leaf(
    type: GraphQLScalarType,
    owner: string,
    name: string,
    column: Column | undefined,
    way: 'in' | 'out',
  ): JsonSchema {
    const words = type.extensions['words'] as string[] | undefined;
    if (words) {
      // What a list is sorted by belongs to that list alone.
      if (type.name.endsWith('Sort')) return { type: 'string', enum: words };
      const word = this.named(type.name, () => ({ type: 'string', enum: words, description: type.description }));
      return way === 'in' && type.extensions['anyCase']
        ? { anyOf: [word, this.named(`${type.name}InAnyCase`, () => anyCase(words))] }
        : word;
    }
    const schema = scalar(type, column, way);
    const reference = column && modelFacts(column.model).references[column.name];
    const example =
      schema['format'] === 'uuid'
        ? exampleId((reference ?? (name === 'id' ? owner : name)) + (name.startsWith('to_') ? name : ''))
        : exampleOf(owner, name, schema);
    const written = type.name === 'DateTime' && way === 'in' ? this.named('Timestamp', () => timestamp(type)) : schema;
    return { ...written, examples: [example] };
  }
}

/** A field's description in REST's words, and what else there is to say. */
function told({ description }: { readonly description?: string | null }, ...more: (string | undefined)[]): JsonSchema {
  const text = [description && inRestNames(description), ...more].filter(Boolean).join(' ');
  return text ? { description: text } : {};
}

/** A description with REST's names in the place of GraphQL's. */
export const inRestNames = (text: string) =>
  text.replace(/\b(?!startDate|endDate)[a-z]+(?:[A-Z][a-z\d]*)+\b/g, (name) => snakeCase(name));

/** In words: by `multipleOf`, validators that divide would refuse 2.4. */
function placesOf(field: GraphQLInputField): string | undefined {
  const { type, scale } = columnOf(field)?.facts ?? {};
  return type === 'Decimal' ? `At most ${scale} decimal places.` : undefined;
}

/** Whether a body changes some fields of a row, and is no whole row. */
const isChange = ({ name }: GraphQLInputObjectType) => name.startsWith('Update');

/** What a new or replaced row has when a body does not say. */
function fallbackOf(field: GraphQLInputField, body: GraphQLInputObjectType): string | undefined {
  const column = columnOf(field);
  const value = column?.facts.default;
  if (value === undefined || isChange(body)) return undefined;
  return `\`${column?.facts.enum ? String(value).toLowerCase().replaceAll('_', '-') : value}\` unless given.`;
}

/** The column that a field of a row or of a body stands for. */
function columnOf(
  { extensions }: Pick<GraphQLField<unknown, unknown> | GraphQLInputField, 'extensions'>,
  owner?: GraphQLObjectType,
): Column | undefined {
  const [model, name] = (extensions['column'] ?? [
    owner?.extensions['pothosPrismaModel'],
    extensions['pothosExposedField'],
  ]) as [ModelName?, string?];
  if (!model || !name) return undefined;
  return { model, name, facts: columnFacts(model, name), rule: extensions['rule'] as Rule | undefined };
}

/** The same, or null. */
function nullable(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string' && !schema['enum'] && !schema['anyOf']
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

const anyCase = (words: readonly string[]): JsonSchema => ({
  type: 'string',
  maxLength: Math.max(...words.map(({ length }) => length)),
  pattern: `^(${words.join('|').replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)})$`,
  description: `${words.map((word) => `\`${word}\``).join(', ')}, in any letter case.`,
});

/** A day that exists, from the year 1 on. */
const day = (() => {
  const year = '(000[1-9]|00[1-9]\\d|0[1-9]\\d{2}|[1-9]\\d{3})';
  const leapYear = '(\\d{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)';
  const days = [
    '(0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])',
    '(0[469]|11)-(0[1-9]|[12]\\d|30)',
    '02-(0[1-9]|1\\d|2[0-8])',
  ];
  return `(${year}-(${days.join('|')})|${leapYear}-02-29)`;
})();
const time = '(([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d([.,]\\d{1,9})?)?|24:00(:00([.,]0{1,9})?)?)';

const timestamp = ({ description }: GraphQLScalarType): JsonSchema => ({
  type: 'string',
  maxLength: 40,
  pattern: `^${day}([Tt]${time}([Zz]|[+-](0\\d|1[0-4]):?[0-5]\\d)?)?$`,
  description: `${description} One without an offset is UTC.`,
  examples: ['2026-03-02T09:30:00Z'],
});

export const count = { type: 'integer', format: 'int32', minimum: 0, maximum: 2 ** 31 - 1 };
const uuid = { type: 'string', format: 'uuid', maxLength: 36 };

/** A scalar's values, as far as its column and rule bound them. */
function scalar(type: GraphQLScalarType, column: Column | undefined, way: 'in' | 'out'): JsonSchema {
  const { facts } = column ?? {};
  switch (type.name) {
    case 'ID':
      return uuid;
    case 'String': {
      return {
        type: 'string',
        ...(way === 'in' && (facts?.required || facts?.list) && { minLength: 1 }),
        // What is no column is a parameter, and as long as an address can be.
        maxLength: way === 'in' && !facts ? headerLimit : (facts?.maxLength ?? (facts?.list ? itemLength : longText)),
        ...(way === 'in' && written(column)),
      };
    }
    case 'Int':
      return { type: 'integer', format: 'int32', ...bounds(column, way, true) };
    case 'Float':
      return { type: 'number', format: 'double', ...bounds(column, way, false) };
    case 'Boolean':
      return { type: 'boolean' };
    case 'Date':
      return { type: 'string', format: 'date', maxLength: 10 };
    case 'DateTime':
      return { type: 'string', format: 'date-time', maxLength: 24 };
    case 'Counts':
      return { type: 'object', additionalProperties: count };
    default:
      throw new Error(`No JSON Schema stands for ${type.name}.`);
  }
}

/** How text must be written: as its rule says, without NUL, and not blank where there must be some. */
function written({ facts, rule }: Partial<Column> = {}): JsonSchema {
  const { pattern, formats } = rule?.facts ?? {};
  if (formats)
    return {
      anyOf: [
        ...formats.map((format) => ({ type: 'string', format })),
        ...(facts?.required ? [] : [{ type: 'string', maxLength: 0 }]),
      ],
    };
  if (pattern) return { pattern: facts?.required ? `^(${pattern})$` : `^(${pattern})?$` };
  return { pattern: facts?.required || facts?.list ? '^[^\\x00]*[^\\s\\x00][^\\x00]*$' : '^[^\\x00]*$' };
}

/** The limits of a number that a body sets. */
function bounds(column: Column | undefined, way: 'in' | 'out', whole: boolean): JsonSchema {
  // GraphQL's whole numbers have 32 bits.
  if (!column || way === 'out') return whole ? { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } : {};
  const {
    facts: { type, precision = 0, scale = 0 },
    rule,
  } = column;
  const most = type === 'Decimal' ? { exclusiveMaximum: 10 ** (precision - scale) } : { maximum: 2 ** 31 - 1 };
  return { ...(rule ? rule.facts : { minimum: 0 }), ...(rule?.facts?.maximum === undefined && most) };
}
