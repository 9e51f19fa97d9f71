import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  type GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  getNamedType,
  isAbstractType,
  isEnumType,
  isObjectType,
  isScalarType,
  Kind,
} from 'graphql';
import { oneOf } from '../input/index.ts';
import { changedFieldsOf, isConnection, type Operation, type Row } from '../resource/index.ts';
import { fieldName } from './names.ts';

/** The fields of a connection that REST reads; the envelope adds the rest. */
const connectionFields = ['nodes', 'totalCount', 'matches', 'pageInfo', 'hasNextPage', 'endCursor'];

/** The field of a row's ETag in REST's schema. The names of fields that bodies show do not begin with an underscore. */
export const etagField = '_etag';

/** Whether a page of a feed begins where changes have been deleted, which REST says in `meta`. */
export const truncatedField = '_truncated';

/** The fields that REST's operations read besides what bodies show, by their names in GraphQL. */
const besideBody: Readonly<Record<string, string>> = { etag: etagField, isTruncated: truncatedField };

/** The field of REST's schema with the names in GraphQL of the fields that an update of the row has changed. */
export const changedField = '_changed';

const changedFieldConfig: GraphQLFieldConfig<Row, unknown> = {
  type: new GraphQLList(GraphQLString),
  resolve: changedFieldsOf,
};

/**
 * Transforms the product's schema into REST's form: bodies in snake_case without relations, and REST's enum values.
 * Root fields, arguments and inputs keep GraphQL's names; `parameters.ts` and `body.ts` translate them.
 * @param options.related whether rows keep the lists and related rows that GraphQL has inside them
 * @param options.results whether rows have what responses say besides their body: `_etag`, `_changed`, `_truncated`
 */
export function toRestSchema(schema: GraphQLSchema, { related = false, results = false } = {}): GraphQLSchema {
  const isOfPage = (name: string) => {
    const type = schema.getType(name);
    return isConnection(type) || (isObjectType(type) && type.extensions.isEdge === true) || name === 'PageInfo';
  };
  // Groups are read by GraphQL's names.
  const isOfGroups = (name: string) => {
    const type = schema.getType(name);
    return isObjectType(type) && type.extensions.isOfGroups === true;
  };
  return mapSchema(schema, {
    [MapperKind.TYPE]: (type) => {
      if (isScalarType(type)) return inRest(type);
      return isEnumType(type) && !type.name.startsWith('__') ? restScalar(type) : undefined;
    },
    [MapperKind.OBJECT_TYPE](type) {
      const { fields, ...config } = type.toConfig();
      if (!results || fields['etag']?.extensions?.rest !== false) return undefined;
      return new GraphQLObjectType({ ...config, fields: { ...fields, [changedField]: changedFieldConfig } });
    },
    [MapperKind.ROOT_FIELD]: () => undefined,
    [MapperKind.OBJECT_FIELD]: (field, name, parent) => {
      if (name === changedField || isOfGroups(parent)) return undefined;
      if (isOfPage(parent)) return related || connectionFields.includes(name) ? undefined : null;
      if (field.extensions?.rest === false) {
        const beside = results ? besideBody[name] : undefined;
        return beside === undefined ? null : [beside, withResolver(field as GraphQLFieldConfig<Row, unknown>, name)];
      }
      const target = getNamedType(field.type);
      const leadsElsewhere = (isAbstractType(target) || isRelation(field)) && field.extensions?.isWritten !== true;
      if (leadsElsewhere && (!related || isAbstractType(target))) return null;
      const shown = restName(name, field.extensions);
      return [
        leadsElsewhere && isReplaced(schema, parent, name) ? behindSummary(shown) : shown,
        // mapSchema does not declare the type of the rows.
        withResolver(field as GraphQLFieldConfig<Row, unknown>, name),
      ];
    },
  });
}

/** Reduces a schema to the root fields of operations, and the types that these use. */
export function withRootFields(schema: GraphQLSchema, operations: readonly Operation[]): GraphQLSchema {
  const root = (kind: Operation['kind']) => {
    const all = (kind === 'Query' ? schema.getQueryType() : schema.getMutationType())?.toConfig().fields ?? {};
    const names = new Set(operations.filter((operation) => operation.kind === kind).map(({ field }) => field));
    return new GraphQLObjectType({
      name: kind,
      fields: Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name))),
      // Without an AST node, sofa prints and parses the whole type again for each variable: 3.4 s instead of 0.2.
      astNode: { kind: Kind.OBJECT_TYPE_DEFINITION, name: { kind: Kind.NAME, value: kind }, fields: [] },
    });
  };
  return new GraphQLSchema({ query: root('Query'), mutation: root('Mutation') });
}

/** The field of the row that a field of this name shows a summary of, in a schema with related rows. */
export const behindSummary = (name: string): string => `_${name}`;

/** The names of a type's fields but those that are no part of bodies. */
export const shownNames = (type: GraphQLObjectType): string[] =>
  Object.keys(type.getFields()).filter((field) => !field.startsWith('_'));

/** The names of the fields that REST shows of a type. */
export function shownFields(schema: GraphQLSchema, name: string): string[] {
  const type = schema.getType(name);
  return isObjectType(type) ? shownNames(type) : [];
}

/** Whether a field is of rows of their own: a list of them, or one with a read scope. */
export function isRelation({ type }: { readonly type?: GraphQLOutputType }): boolean {
  const target = getNamedType(type);
  return isObjectType(target) && (isConnection(target) || target.extensions.readScope !== undefined);
}

/** Whether REST shows another field by the name of one: a summary of a row in its place. */
function isReplaced(schema: GraphQLSchema, parent: string, name: string): boolean {
  const type = schema.getType(parent);
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  return fields.some((field) => field.name !== name && field.extensions.rest === fieldName(name));
}

/** The name of a field in REST: `extensions.rest` where the field sets it, otherwise its name in snake case. */
const restName = (name: string, extensions: GraphQLFieldConfig<unknown, unknown>['extensions']) =>
  typeof extensions?.rest === 'string' ? extensions.rest : fieldName(name);

/** A renamed field needs a resolver for its original name. */
function withResolver(field: GraphQLFieldConfig<Row, unknown>, name: string): typeof field {
  return { ...field, resolve: field.resolve ?? ((row) => row[name]) };
}

/** A scalar whose values REST spells its own way; undefined for others. */
function inRest(type: GraphQLScalarType): GraphQLScalarType | undefined {
  const { serializeInRest: serialize } = type.extensions;
  return serialize && new GraphQLScalarType({ ...type.toConfig(), serialize });
}

/** An enum as a string scalar, because REST has values such as `in-progress`, which are no valid names in GraphQL. */
function restScalar(type: GraphQLEnumType): GraphQLScalarType {
  const anyCase = type.extensions.anyCase === true;
  const values = type.getValues().map(({ name, value, extensions }): { value: unknown; restValue: string } => ({
    value,
    restValue: extensions.restValue ?? name.toLowerCase(),
  }));
  const restValueOf = new Map(values.map(({ value, restValue }) => [value, restValue]));
  const valueOf = new Map(values.map(({ value, restValue }) => [restValue, value]));
  return new GraphQLScalarType({
    name: type.name,
    description: type.description,
    extensions: { anyCase, restValues: values.map(({ restValue }) => restValue) },
    serialize: (value) => restValueOf.get(value),
    parseValue(given) {
      const restValue = anyCase && typeof given === 'string' ? given.toLowerCase() : given;
      if (typeof restValue === 'string' && valueOf.has(restValue)) return valueOf.get(restValue);
      throw new TypeError(`must be ${oneOf([...valueOf.keys()])}`);
    },
  });
}
