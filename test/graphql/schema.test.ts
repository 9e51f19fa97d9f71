import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  graphqlSync,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isUnionType,
  printSchema,
} from 'graphql';
import { type ModelName, modelFacts } from '../../src/resource/index.ts';
import { graphqlSchema as schema } from '../support/api.ts';
import { collections, isListing, isPart, modelOf, rowType, shownFields } from '../support/resources.ts';
import { wrongArticle } from '../support/texts.ts';

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

test('schema.graphql is the schema; `npm run generate` writes it', async () => {
  expect(await readFile(join(import.meta.dirname, '../../schema.graphql'), 'utf8')).toBe(`${printSchema(schema)}\n`);
});

// What a client downloads is compressed; what a resource adds uncompressed shows what the kit generates for each.
test('introspection is smaller than 120 KB compressed, and than 41 KB for each list', () => {
  const text = JSON.stringify(graphqlSync({ schema, source: getIntrospectionQuery() }));
  const lists = types.filter(({ name }) => name.endsWith('Connection'));
  expect(text.length / lists.length).toBeLessThan(41_000);
  expect(gzipSync(text).length).toBeLessThan(120_000);
});

/** Every part of a type that clients can use, by its path, with its description. */
function* partsOf(type: GraphQLNamedType): Generator<[path: string, description: string | null | undefined]> {
  yield [type.name, type.description];
  if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value.description];
  if (isInputObjectType(type))
    for (const field of Object.values(type.getFields())) yield [`${type.name}.${field.name}`, field.description];
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      yield [`${type.name}.${field.name}`, field.description];
      for (const argument of field.args) yield [`${type.name}.${field.name}(${argument.name})`, argument.description];
    }
  }
}

test('every type, field, argument, input field and enum value has a description', () => {
  const parts = types.flatMap((type) => [...partsOf(type)]);
  expect(parts.length).toBeGreaterThan(types.length * 3);
  expect(parts.filter(([, description]) => !description?.trim()).map(([path]) => path)).toEqual([]);
});

test('descriptions use the right article', () => {
  expect('A user makes a invoice for an user, an area and a HR form.'.match(wrongArticle)).toEqual([
    'a invoice',
    'an user',
    'a HR',
  ]);
  expect(
    types
      .flatMap((type) => [...partsOf(type)])
      .flatMap(([path, text]) => (text?.match(wrongArticle) ?? []).map((found) => `${path}: ${found}`)),
  ).toEqual([]);
});

/** The number of fields of a type that lead to other rows. */
const relations = (from: string, to: string) =>
  Object.values((schema.getType(from) as GraphQLObjectType).getFields()).filter(
    ({ type }) => isObjectType(getNamedType(type)) && rowType(type).name === to,
  ).length;

describe("GraphQL's idiom", () => {
  test('names are in camel case, types in Pascal case, enum values in capitals', () => {
    const misnamed = types
      .filter((type) => !isUnionType(type))
      .flatMap((type) => [...partsOf(type)])
      .map(([path]) => path)
      .filter((path) => {
        const [typeName = '', part = ''] = path.split(/\.|$/);
        const name = /\((\w+)\)$/.exec(path)?.[1] ?? part;
        const shape = isEnumType(schema.getType(typeName)) ? /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/ : /^[a-z][a-zA-Z0-9]*$/;
        return !/^[A-Z][a-zA-Z0-9]*$/.test(typeName) || (name !== '' && !shape.test(name));
      });
    expect(misnamed).toEqual([]);
  });

  test('every foreign key is a field', () => {
    const rows = types.filter(isObjectType).filter(({ name }) => modelOf(name));
    const hidden = [...new Set(rows.map(({ name }) => modelOf(name) as ModelName))].flatMap((model) =>
      Object.values(modelFacts(model).relations)
        .map(({ field }) => field.name)
        .filter((column) => !rows.some((type) => modelOf(type.name) === model && type.getFields()[column]))
        .map((column) => `${model}.${column}`),
    );
    expect(hidden.sort()).toEqual([
      // A token sees only its own company; `me` shows sandboxes.
      'Company.sandboxOfId',
      // It is `avatarUrl`.
      'User.avatarId',
    ]);
  });

  test('every relation has both directions', () => {
    // A watcher only links a user to a request; the two are related without it.
    const ties = collections
      .filter(({ on }) => on.list?.operation.type !== on.create?.operation.type)
      .map(({ on }) => on.create?.operation.type);
    const missing = types
      .filter(isObjectType)
      .filter(({ name }) => !ties.includes(name) && !isPart(name) && !isListing(name))
      .flatMap((type) => {
        const targets = shownFields(type.name).flatMap(({ target }) =>
          // Files do not say which rows hold them, as not everybody may know them.
          target && target !== 'File' && schema.getType(target) ? [target] : [],
        );
        return [...new Set(targets)].flatMap((target) => {
          const count = targets.filter((other) => other === target).length;
          const there = relations(type.name, target) < count ? [`${type.name} → ${target}`] : [];
          return relations(target, type.name) < count ? [...there, `${target} → ${type.name}`] : there;
        });
      });
    expect(missing).toEqual([]);
  });

  test('lists are connections', () => {
    const connections = types.filter(isObjectType).filter(({ name }) => name.endsWith('Connection'));
    expect(connections.length).toBeGreaterThan(5);
    for (const connection of connections) {
      expect(Object.keys(connection.getFields())).toEqual(
        expect.arrayContaining(['nodes', 'edges', 'pageInfo', 'totalCount']),
      );
    }
    // Lists are limited, so they are always connections, except those of rows that are asked for by their ids.
    const endless = types
      .filter(isObjectType)
      .filter(({ name }) => !/^Mutation$|(Connection|Edge)$/.test(name))
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter(
            ({ type: of, args }) =>
              !args.some(({ name }) => name === 'ids') &&
              isListType(getNullableType(of)) &&
              modelOf(getNamedType(of).name) &&
              !isPart(getNamedType(of).name),
          )
          .map(({ name }) => `${type.name}.${name}`),
      );
    expect(endless).toEqual([]);
  });
});
