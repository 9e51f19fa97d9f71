import {
  assertScalarType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
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
  isScalarType,
} from 'graphql';
import { type Direction, maxListItems } from '../../fields/index.ts';
import { apiField, filterLimits, isApiField, maxFilterValues, maxItems, type Stored } from '../../resource/index.ts';
import { fieldName } from '../names.ts';
import type { Parameter } from '../parameters.ts';
import { type Column, columnOf } from './columns.ts';
import { exampleOf } from './examples.ts';
import { anyCase, nullable, scalarSchema, sharedInputs } from './scalars.ts';
import { describe } from './text.ts';
import { type JsonSchema, ref } from './types.ts';

/** The position of a value, which determines its description. */
interface ValueContext {
  /** The type that has the field. */
  readonly owner: string;
  readonly column: Column | undefined;
  /** The example that the schema declares. */
  readonly example: unknown;
}

/** REST's values of an enum; undefined for any other type. */
export const restValuesOf = (type: GraphQLNamedType) => (isScalarType(type) ? type.extensions.restValues : undefined);

/** The shared schemas of the document. */
export class Schemas {
  readonly all: Record<string, JsonSchema> = {};

  /** @param schema the schema in REST's form */
  constructor(readonly schema: GraphQLSchema) {}

  /** Refers to a schema by its name, and creates it on first use. */
  named(name: string, make: () => JsonSchema): JsonSchema {
    if (!(name in this.all)) {
      this.all[name] = {};
      this.all[name] = make();
    }
    return ref('schemas', name);
  }

  /**
   * A row of a resource.
   * @param isReadOnly whether no operation accepts a field
   * @param optional the fields that are present only on request
   */
  row(
    type: string,
    isReadOnly: (field: string) => boolean,
    optional: () => Readonly<Record<string, JsonSchema>>,
  ): JsonSchema {
    return this.named(type, () => {
      const { properties, ...object } = this.object(this.objectType(type), { isReadOnly });
      return { ...object, properties: { ...properties, ...optional() } };
    });
  }

  /** The response to a PATCH: the id, the fields that were sent or changed, and the time of the last change. */
  change(type: string, isReadOnly: (field: string) => boolean): JsonSchema {
    return this.named(`${type}Change`, () => ({
      ...this.object(this.objectType(type), { isReadOnly, required: ['id', 'updated_at'] }),
      description: 'The id, the fields that were sent or changed, and the time of the last change.',
    }));
  }

  /**
   * A request body. Unknown fields are rejected.
   * @param partial whether it is a change of some fields rather than a whole row
   */
  input(type: GraphQLInputObjectType, partial: boolean): JsonSchema {
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
            {
              ...this.inputField(field, type, partial),
              ...describe(field, limitText(field), partial ? undefined : defaultValue(field)),
            },
          ]),
        ),
        additionalProperties: false,
      };
    });
  }

  /** The value of a query parameter, or of each item. A filter refers to a column, but is not limited by its rules. */
  parameter({ type, toFilter, extensions }: Pick<Parameter, 'type' | 'toFilter' | 'extensions'>): JsonSchema {
    const scalar = assertScalarType(getNamedType(type));
    const column = toFilter ? undefined : columnOf({ extensions });
    return this.enumSchema(scalar, 'input') ?? this.shared(scalar) ?? scalarSchema(scalar, column, 'input');
  }

  /** A filter of a list, or the conditions on one value. */
  filter(type: GraphQLInputObjectType): JsonSchema {
    return this.named(type.name, () => ({
      type: 'object',
      description: type.description,
      properties: Object.fromEntries(
        Object.values(type.getFields()).map((field) => [
          fieldName(field.name),
          { ...this.filterPart(getNullableType(field.type)), ...describe(field) },
        ]),
      ),
      additionalProperties: false,
    }));
  }

  /** A column of a row, as rows of the log of changes have it. */
  column(rows: Stored, name: string): JsonSchema {
    const field = apiField(rows, name);
    const context = { owner: field.model, column: { field }, example: undefined };
    const value = this.leaf(this.scalar(field.type.name), context, 'output');
    const schema = field.list ? { type: 'array', maxItems: maxListItems, items: value } : value;
    return { ...(field.required ? schema : nullable(schema)), ...describe({ description: field.documentation }) };
  }

  /** The values of an enum. */
  enumOf(name: string): JsonSchema {
    return this.enumSchema(this.scalar(name), 'output') ?? {};
  }

  private scalar(name: string): GraphQLScalarType {
    return assertScalarType(this.schema.getType(name));
  }

  private filterPart(type: GraphQLInputType): JsonSchema {
    if (isListType(type)) {
      const most = isInputObjectType(getNamedType(type)) ? filterLimits.conditions : maxFilterValues;
      return { type: 'array', maxItems: most, items: this.filterPart(getNullableType(type.ofType)) };
    }
    if (isInputObjectType(type)) return this.filter(type);
    return this.parameter({ type, toFilter: (value) => ({ value }), extensions: {} });
  }

  private objectType(name: string): GraphQLObjectType {
    const found = this.schema.getType(name);
    if (!isObjectType(found)) throw new Error(`The schema has no object ${name}.`);
    return found;
  }

  private object(
    type: GraphQLObjectType,
    { isReadOnly, required }: { isReadOnly?: (field: string) => boolean; required?: readonly string[] } = {},
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
            ...this.output(field.type, contextOf(field, type)),
            ...(isReadOnly?.(name) && { readOnly: true }),
            ...describe(field),
          },
        ]),
      ),
    };
  }

  private output(type: GraphQLOutputType, context: ValueContext): JsonSchema {
    const bare = getNullableType(type);
    const schema = isListType(bare)
      ? { type: 'array', ...this.listLimit(bare.ofType, context), items: this.output(bare.ofType, context) }
      : isObjectType(bare)
        ? this.named(bare.name, () => this.object(bare))
        : this.leaf(assertScalarType(bare), context, 'output');
    if (isNonNullType(type)) return schema;
    return { ...nullable(schema), ...(context.column?.field.example === null && { examples: [null] }) };
  }

  private listLimit(items: GraphQLOutputType, { column }: ValueContext): JsonSchema {
    if (column) return { maxItems: maxListItems };
    const type = getNamedType(items);
    return isObjectType(type) && type.extensions.isOwned ? { maxItems } : {};
  }

  private inputField(field: GraphQLInputField, body: GraphQLInputObjectType, partial: boolean): JsonSchema {
    const context = contextOf(field, body);
    const least = field.extensions.minItems;
    const { maxItems: most } = field.extensions;
    const schema = {
      ...this.inputValue(getNullableType(field.type), context),
      ...(most !== undefined && { maxItems: most }),
      ...(least !== undefined && { minItems: least }),
    };
    // In a new row null means the default; a change cannot clear a required column.
    const takesNull = !isNonNullType(field.type) && !(context.column?.field.required && partial);
    const value = takesNull ? nullable(schema) : schema;
    // Responses do not have rows that a new row brought along.
    return field.extensions.creates ? { ...value, writeOnly: true } : value;
  }

  private inputValue(type: GraphQLInputType, context: ValueContext): JsonSchema {
    if (isListType(type)) {
      const most = context.column ? maxListItems : maxItems;
      return { type: 'array', maxItems: most, items: this.inputValue(getNullableType(type.ofType), context) };
    }
    // Nested rows are whole rows, also in a change.
    if (isInputObjectType(type)) return this.input(type, false);
    return this.leaf(assertScalarType(type), context, 'input');
  }

  private leaf(type: GraphQLScalarType, { owner, column, example }: ValueContext, direction: Direction): JsonSchema {
    const words = this.enumSchema(type, direction);
    if (words) return words;
    const schema = (direction === 'input' ? this.shared(type) : undefined) ?? scalarSchema(type, column, direction);
    return { ...schema, examples: [example ?? exampleOf(type.name, column, owner)] };
  }

  /** The values of an enum; undefined for any other type. */
  private enumSchema(type: GraphQLScalarType, direction: Direction): JsonSchema | undefined {
    const values = restValuesOf(type);
    if (!values) return undefined;
    const schema = this.named(type.name, () => ({ type: 'string', enum: values, description: type.description }));
    return direction === 'input' && type.extensions.anyCase
      ? { anyOf: [schema, this.named(`${type.name}InAnyCase`, () => anyCase(values))] }
      : schema;
  }

  /** A value in a request whose schema is shared; undefined for any other type. */
  private shared({ name: scalar }: GraphQLScalarType): JsonSchema | undefined {
    const found = sharedInputs.get(scalar);
    return found && this.named(found.name, () => found.schema);
  }
}

const contextOf = (
  field: GraphQLField<unknown, unknown> | GraphQLInputField,
  owner: GraphQLObjectType | GraphQLInputObjectType,
): ValueContext => ({
  owner: owner.name,
  column: columnOf(field),
  example: field.extensions.example,
});

/** The limits of a column that its schema leaves out. */
function limitText({ extensions: { stored } }: GraphQLInputField): string | undefined {
  return stored && isApiField(stored) ? stored.type.limitText?.(stored) : undefined;
}

/** The default of a column in a new or replaced row. */
function defaultValue({ extensions: { stored } }: GraphQLInputField): string | undefined {
  if (stored?.default === undefined) return undefined;
  return `Defaults to \`${String(stored.type.encode(stored.default))}\`.`;
}
