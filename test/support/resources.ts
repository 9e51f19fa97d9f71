// Metadata of the schema's resources, in the form that the tests need.
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  GraphQLString,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import facts from '../../src/database/generated/facts.ts';
import type { Measures } from '../../src/resource/index.ts';
import {
  ofMany as actionsOfMany,
  isApiField,
  type ModelName,
  modelFacts,
  type Stored,
  type StoredField,
} from '../../src/resource/index.ts';
import type { Route } from '../../src/rest/routes.ts';
import { api } from '../../src/schema/index.ts';
import { routes } from './api.ts';
import type { Client } from './client.ts';
import { takesScope } from './scopes.ts';

const { schema } = api;

const extensionsOf = (type: GraphQLNamedType | undefined) => (isObjectType(type) ? type.extensions : {});

/** The action of a REST route. */
type Action = (typeof api.operations)[number]['action'];

/** A field of a request or response body. */
export interface Field {
  /** The name in GraphQL, which is also the column's. */
  readonly name: string;
  /** The name in REST. */
  readonly rest: string;
  /** The named GraphQL type of its values. */
  readonly type: GraphQLNamedType;
  readonly list: boolean;
  readonly required: boolean;
  /** The metadata of its column; undefined without one. */
  readonly facts?: StoredField;
  /** The model that it references. */
  readonly target?: string;
}

/** The routes at one path and at its items. */
export interface Collection {
  /** The path without the item's id: `/paints/:paintId/locations`. */
  readonly path: string;
  readonly on: Readonly<Partial<Record<Action, Route>>>;
  /** The type of its rows, where no route determines it. */
  readonly type?: string;
}

/** Deletes a row by the mutation of its type. */
export const deleteById = (client: Client, type: string, id: string) =>
  client.graphql(`mutation ($id: ID!) { delete${type}(id: $id) { __typename } }`, { id });

export type RootField = GraphQLField<unknown, unknown>;

export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

/** The actions on many rows. */
export const ofMany: readonly string[] = actionsOfMany;

/** The root field for one row that does what a root field for many does: `updateVendor` of `updateManyVendors`. */
export function oneOfMany({ extensions }: RootField): string | undefined {
  const { action = '', type } = extensions;
  if (!ofMany.includes(action)) return undefined;
  const one = action === 'write' ? 'create' : action.replace('Many', '');
  const found = one + String(type);
  // What has no creation is written by updates.
  return found in rootFieldsByName('Mutation') ? found : `update${String(type)}`;
}

/**
 * The routes of collections: those that return rows, not groups or several new ones, and accept tokens. Lists of all
 * parents' rows are tested apart.
 */
const ofRows = routes().filter(
  ({ path, operation: { type, action, access, path: own } }) =>
    modelOf(type) &&
    !['aggregate', 'batch', 'restore', ...ofMany].includes(action) &&
    takesScope(access) &&
    (path === own || !own.includes(':')),
);

/** The collections of the service, each with the routes it has. */
export const collections: readonly Collection[] = [...new Set(ofRows.map(collectionPath))].map((path) => ({
  path,
  on: Object.fromEntries(
    ofRows.filter((route) => collectionPath(route) === path).map((route) => [route.operation.action, route]),
  ),
}));

function collectionPath({ path }: Route): string {
  return path.replace(/\/:id$/, '');
}

/**
 * The cases to test on the n-th route, where one hook, parser or handler answers for every route: all cases on the
 * first route, and on each other route one of them, in turn.
 */
export const share = <T>(all: readonly T[], n: number): readonly T[] =>
  n === 0 ? all : all.slice(n % all.length).slice(0, 1);

/** The collections with a given route, for `describe.each` and `test.each`: path and collection. */
export const collectionsWith = (...actions: Action[]) =>
  collections
    .filter(({ on }) => actions.every((action) => on[action]))
    .map((collection) => [collection.path, collection] as const);

/** The type of a collection's rows. */
export function typeOf({ path, on, type }: Collection): string {
  if (type) return type;
  const route = on.create ?? on.list ?? on.read ?? on.update;
  if (!route) throw new Error(`${path} has no route that tells its type`);
  return route.operation.type;
}

/** The model of a type's rows. */
export function modelOf(type: string): ModelName | undefined {
  return extensionsOf(schema.getType(type)).model;
}

const rootFieldsByName = (kind: 'Query' | 'Mutation') => (schema.getType(kind) as GraphQLObjectType).getFields();

/** The root fields of GraphQL. */
export const rootFields = (kind: 'Query' | 'Mutation'): readonly RootField[] => Object.values(rootFieldsByName(kind));

/** A root field that is known to exist. */
export function rootField(name: string): RootField {
  const found = rootFieldsByName('Query')[name] ?? rootFieldsByName('Mutation')[name];
  if (!found) throw new Error(`GraphQL has no ${name}`);
  return found;
}

/** The fields of a type that REST's bodies contain. */
export function shownFields(type: string): Field[] {
  const object = schema.getType(type) as GraphQLObjectType;
  return fieldsOf(object, type).filter(
    ({ name, type }) =>
      object.getFields()[name]?.extensions['rest'] !== false &&
      (isLeafType(type) || (isObjectType(type) && !type.extensions.readScope && !type.extensions.isConnection)),
  );
}

/** The relations of a type, to one row or many. */
export const leadingFields = (type: GraphQLObjectType) =>
  Object.values(type.getFields()).filter((field) => extensionsOf(getNamedType(field.type)).readScope);

/** Types whose rows are only shown with another row, such as line items. */
export const isPart = (type: string) => extensionsOf(schema.getType(type)).isOwned === true;

/** Types of rows that are no resource: they have a list of their own, beside the rows that they are shown with. */
export const isListing = (type: string) =>
  modelOf(type) !== undefined && !isPart(type) && !api.resources.some((resource) => resource.type === type);

/** The GraphQL selection of everything that REST shows. */
export const selectionOf = (fields: readonly Field[]): string =>
  fields
    .map(({ name, type }) => (isObjectType(type) ? `${name} { ${selectionOf(shownFields(type.name))} }` : name))
    .join(' ');

/** The fields of a root field's input; [] without one. */
export function inputFields({ args, type }: RootField): Field[] {
  const input = getNamedType(args.find(({ name }) => name === 'input')?.type);
  return isInputObjectType(input) ? fieldsOf(input, getNamedType(type).name) : [];
}

/** The columns that a list can be filtered by. */
export function filterFields({ args, type }: RootField): Field[] {
  const filter = getNamedType(args.find(({ name }) => name === 'filter')?.type);
  if (!isInputObjectType(filter)) return [];
  const rows = rowType(type);
  return fieldsOf(rows, rows.name).filter(({ name, facts }) => facts && name in filter.getFields());
}

/** The sort keys of a list, in REST. */
export function sortNames({ args }: RootField): string[] {
  const sort = getNamedType(args.find(({ name }) => name === 'sort')?.type);
  return isEnumType(sort) ? sort.getValues().map(({ name }) => name.toLowerCase()) : [];
}

/** The fields that `search` searches, from its description. */
export function searchFields({ args, type }: RootField): Field[] {
  const named: readonly string[] = args.find(({ name }) => name === 'search')?.description?.match(/\w+/g) ?? [];
  return shownFields(rowType(type).name).filter(({ name }) => named.includes(name));
}

/** The value in REST of an enum's member. Enums of the schema have the names of Prisma's. */
export const wordOf = ({ name }: GraphQLNamedType, member: string): string => {
  const enums: Readonly<Record<string, { readonly mappedValues: Readonly<Record<string, string>> }>> = facts.enums;
  return enums[name]?.mappedValues[member] ?? member;
};

/** REST's values of an enum, in order. */
export const restValuesOf = (type: GraphQLNamedType): string[] =>
  isEnumType(type) ? type.getValues().map(({ name }) => wordOf(type, name)) : [];

/** The type of a field's rows, through a connection or not. */
export function rowType(type: RootField['type']): GraphQLObjectType {
  const named = getNamedType(type) as GraphQLObjectType;
  return (
    (getNamedType(named.getFields()['nodes']?.type as GraphQLObjectType | undefined) as
      | GraphQLObjectType
      | undefined) ?? named
  );
}

/** An operation that calls one root field with all its arguments as variables. */
export function operationOf(
  { name, args }: RootField,
  kind: 'Query' | 'Mutation',
  given: readonly string[],
  selection = '{ __typename }',
): string {
  const used = args.filter((arg) => given.includes(arg.name));
  const declared = used.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const passed = used.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  return `${kind.toLowerCase()}${declared && `(${declared})`} { ${name}${passed && `(${passed})`} ${selection} }`;
}

/** All columns of a type's rows, also hidden ones. */
export function columnsOf(type: string): Field[] {
  const model = modelOf(type);
  if (!model) throw new Error(`${type} is no model's`);
  const { stored } = modelFacts(model);
  return Object.entries(stored).map(([name, field]) => ({
    name,
    rest: snakeCase(name),
    type: (isApiField(field) && schema.getType(field.type.name)) || GraphQLString,
    list: field.list,
    required: field.required,
    facts: field,
    target: field.references,
  }));
}

interface Container {
  getFields(): Record<
    string,
    { name: string; type: GraphQLInputType | RootField['type']; extensions?: Readonly<Record<string, unknown>> }
  >;
}

/** The fields of an object or input; `rowType` is the type of the rows, if any. */
export function fieldsOf(container: Container, rowType = ''): Field[] {
  const model = modelOf(rowType);
  const { stored }: Stored = model ? modelFacts(model) : { stored: {} };
  return Object.values(container.getFields()).map(({ name, type, extensions }) => ({
    name,
    rest: typeof extensions?.['rest'] === 'string' ? extensions['rest'] : snakeCase(name),
    type: getNamedType(type),
    list: isListType(isNonNullType(type) ? type.ofType : type),
    required: isNonNullType(type),
    facts: stored[name],
    target: stored[name]?.references,
  }));
}

/** The declared measures of a type's rows. */
export const measuresOf = (type: string): Measures => api.resources.find((each) => each.type === type)?.measures ?? {};

/** The fields of a type's rows that are numbers. */
export const numbersOf = (type: string): string[] => {
  const filter = api.schema.getType(`${type}Filter`);
  return Object.values(isInputObjectType(filter) ? filter.getFields() : {}).flatMap(({ name, type: of }) =>
    /^(Int|Float)Filter$/.test(getNamedType(of).name) && !(name in measuresOf(type)) ? [name] : [],
  );
};
