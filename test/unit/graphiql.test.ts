// What GraphiQL inserts into queries, and how it names them.
import { describe, expect, test } from '@jest/globals';
import { type GraphQLObjectType, getNamedType, isEnumType, isObjectType } from 'graphql';
import { schema } from '../../src/schema/index.ts';
import { defaultFieldNames } from '../../web/src/graphiql/default-fields.ts';
import { nameOperations } from '../../web/src/graphiql/name-queries.ts';

const objectTypes = Object.values(schema.getTypeMap()).filter(isObjectType);
const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType;

describe('the fields that GraphiQL inserts', () => {
  /** The types of the keys of groups. */
  const keys = [
    ...new Set(objectTypes.flatMap((type) => getNamedType(type.getFields()['key']?.type) ?? []).filter(isObjectType)),
  ];

  test.each(keys.map((type) => [type.name, type] as const))('of %s are not its ids', (_name, type) => {
    const fieldTypes = Object.values(type.getFields()).map((field) => getNamedType(field.type));
    const insertedFor = (type: GraphQLObjectType) => {
      const [name = '', ...others] = defaultFieldNames(type);
      expect(others).toEqual([]);
      return getNamedType(type.getFields()[name]?.type);
    };
    // Rows that are part of others have no words of their own: of these it is one of the others.
    const isRelated = (of: unknown) => isObjectType(of) && of.name.endsWith('Key') && !/^Date(Time)?Key$/.test(of.name);
    const first = insertedFor(type);
    const inserted = isRelated(first) ? insertedFor(first as GraphQLObjectType) : first;
    // By a status there are few groups.
    if (fieldTypes.some(isEnumType) || isEnumType(inserted)) expect(isEnumType(inserted)).toBe(true);
    else if (!isObjectType(inserted)) expect(['String', 'Int', 'Boolean', 'Date', 'Float']).toContain(inserted?.name);
    else expect([/^Date(Time)?Key$/.test(inserted.name), insertedFor(inserted)?.name]).toEqual([true, 'Date']);
  });

  test('of other types are those of GraphiQL, and nodes of lists', () => {
    expect(keys.length).toBeGreaterThan(30);
    expect(defaultFieldNames(typeOf('ServiceRequest'))).toEqual(['id']);
    expect(defaultFieldNames(typeOf('ServiceRequestConnection'))).toEqual(['nodes']);
    expect(defaultFieldNames(typeOf('PageInfo'))).toEqual(Object.keys(typeOf('PageInfo').getFields()));
  });
});

describe('operations that the explorer named', () => {
  test.each([
    ['query MyQuery {\n  leases {\n    id\n  }\n}\n', 'query Leases {\n  leases {\n    id\n  }\n}\n'],
    ['query MyQuery($id: ID!) {\n  lease(id: $id)\n}', 'query Lease($id: ID!) {\n  lease(id: $id)\n}'],
    ['mutation MyMutation { createNote }', 'mutation CreateNote { createNote }'],
    ['query MyQuery { all: leases }', 'query Leases { all: leases }'],
    ['query Leases { leases }\nquery MyQuery2 { leases }', 'query Leases { leases }\nquery Leases2 { leases }'],
    ['query MyQuery {\n  __typename # Placeholder value\n}', 'query MyQuery {\n  __typename # Placeholder value\n}'],
    ['query MyQueryOfLeases { leases }', 'query MyQueryOfLeases { leases }'],
  ])('%j is %j', (given, named) => {
    expect(nameOperations(given)).toBe(named);
  });
});
