import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  type GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isObjectType,
} from 'graphql';
import { connectionTypes, readScopes } from '../resource/registry.ts';
import { InvalidValue } from '../resource/scalars.ts';
import { fieldName } from './names.ts';

/** What REST shows of a connection; its route's envelope says the rest. */
const connectionFields = ['nodes', 'totalCount', 'pageInfo', 'hasNextPage', 'endCursor'];

/**
 * Rewrites the product's schema into REST's idiom: bodies in snake_case without relations, enums as the spec's
 * words. Root fields, arguments and inputs keep GraphQL's names; `read.ts` knows what REST calls them.
 * @param lists whether rows keep the lists that GraphQL has inside them
 */
export function toRestSchema(schema: GraphQLSchema, { lists = false } = {}): GraphQLSchema {
  return mapSchema(schema, {
    [MapperKind.TYPE]: (type) => (isEnumType(type) && !type.name.startsWith('__') ? wordScalar(type) : undefined),
    [MapperKind.ROOT_FIELD]: () => undefined,
    [MapperKind.OBJECT_FIELD]: (field, name, parent) => {
      if (connectionTypes.has(parent) || parent === 'PageInfo')
        return lists || connectionFields.includes(name) ? undefined : null;
      if (field.extensions?.['rest'] === false) return null;
      const target = getNamedType(field.type);
      const leadsElsewhere = isAbstractType(target) || (isObjectType(target) && readScopes.has(target.name));
      return leadsElsewhere && !(lists && connectionTypes.has(target.name))
        ? null
        : [
            restName(name, field.extensions),
            withResolver(field as GraphQLFieldConfig<Record<string, unknown>, unknown>, name),
          ];
    },
  });
}

/** What REST calls a field; the specification may have a name for it that GraphQL has for something else. */
const restName = (name: string, extensions: GraphQLFieldConfig<unknown, unknown>['extensions']) =>
  typeof extensions?.['rest'] === 'string' ? extensions['rest'] : fieldName(name);

/** A renamed field must say where its value is. */
function withResolver(field: GraphQLFieldConfig<Record<string, unknown>, unknown>, name: string): typeof field {
  return { ...field, resolve: field.resolve ?? ((row) => row[name]) };
}

/** An enum as a string of the spec's words; GraphQL's own enum names cannot be spelled like `in-progress`. */
function wordScalar(type: GraphQLEnumType): GraphQLScalarType {
  const anyCase = type.extensions['anyCase'] === true;
  const words = type.getValues().map(({ name, value, extensions }) => ({
    value: value as unknown,
    word: typeof extensions['word'] === 'string' ? extensions['word'] : name.toLowerCase(),
  }));
  const wordOf = new Map(words.map(({ value, word }) => [value, word]));
  const valueOf = new Map(words.map(({ value, word }) => [word, value]));
  return new GraphQLScalarType({
    name: type.name,
    description: type.description,
    extensions: { anyCase, words: words.map(({ word }) => word) },
    serialize: (value) => wordOf.get(value),
    parseValue(given) {
      const word = anyCase && typeof given === 'string' ? given.toLowerCase() : given;
      if (typeof word === 'string' && valueOf.has(word)) return valueOf.get(word);
      throw new InvalidValue(`must be one of ${[...valueOf.keys()].join(', ')}`);
    },
  });
}
