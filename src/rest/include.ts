// The `include` parameter: a GET embeds rows of sub-resources, which saves a request for each row.
import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import { badRequest } from '../errors.ts';
import { suggest } from '../input/index.ts';
import { isConnection, maxPageSize } from '../resource/index.ts';
import { wholeOf } from './fields.ts';
import { defaultSort, fieldName } from './names.ts';
import type { Route } from './routes.ts';
import { splitSeparated } from './separated.ts';

type Row = Readonly<Record<string, unknown>>;

/** A sub-resource that can be included in rows. */
export interface Subresource {
  /** Its name in `include`, and the field that contains it. */
  readonly name: string;
  /** The type of its rows. */
  readonly type: string;
}

/** Maximum number of included rows of each sub-resource: a full page. */
export const maxIncluded = maxPageSize;

/** The field with the total number of a sub-resource's rows. */
export const totalOf = (name: string) => `${name}_total`;

/**
 * Lists the sub-resources that a route's rows can include: those with a REST list below its items.
 * @param schema the product's schema, in which rows have these lists as fields
 */
export function findSubresources(
  { operation: { action, path: own, type } }: Route,
  all: readonly Route[],
  schema: GraphQLSchema,
): Subresource[] {
  const rows = schema.getType(type);
  if ((action !== 'list' && action !== 'read') || !isObjectType(rows)) return [];
  const lists = Object.values(rows.getFields())
    .filter(({ type: list, extensions }) => isConnection(getNamedType(list)) && extensions.rest !== false)
    .map(({ name }) => fieldName(name));
  const item = action === 'list' ? `${own}/:id` : own;
  const below = new RegExp(`^${item.replace(/:\w+/g, ':\\w+')}/([\\w-]+)$`);
  return all.flatMap(({ path, operation: child }) => {
    // Each operation once, though it may have other paths.
    if (path !== child.path) return [];
    const name = below.exec(child.path)?.[1]?.replaceAll('-', '_');
    return child.action === 'list' && name && lists.includes(name) ? [{ name, type: child.type }] : [];
  });
}

/**
 * Reads the parameter: names, comma-separated or repeated.
 * @throws ServiceError BAD_REQUEST
 */
export function readInclude(raw: string | string[], known: readonly Subresource[]): Subresource[] {
  const all = known.map(({ name }) => name);
  const given = [raw].flat().flatMap(splitSeparated);
  return [...new Set(given)].map((name) => {
    const found = known.find((one) => one.name === name);
    if (!found) throw badRequest(`must be any of ${all.join(', ')}${suggest(name, all)}`);
    return found;
  });
}

/**
 * Sub-resources as fields of a row, in the syntax of GraphQL.
 * @param type the type of the rows
 * @param schema the schema in REST's form, in which that type has its lists
 */
export function listsOf(type: string, include: readonly Subresource[], schema: GraphQLSchema): string {
  const rows = typeIn(schema, type).getFields();
  const lists = include.map((one) => {
    const argument = rows[one.name]?.args.find(({ name }) => name === 'sort');
    const by = argument && defaultSort(argument);
    const sort = by ? `, sort: "${by.sort}", order: "${by.order}"` : '';
    return `${one.name}(first: ${maxIncluded}${sort}) { nodes { ${wholeOf(typeIn(schema, one.type))} } totalCount }`;
  });
  return lists.join(' ');
}

/** A type of objects of a schema. @throws Error where it has none of that name */
export function typeIn(schema: GraphQLSchema, name: string): GraphQLObjectType {
  const found = schema.getType(name);
  if (!isObjectType(found)) throw new Error(`The schema has no object ${name}.`);
  return found;
}

/** Replaces the connections of a row's sub-resources by their rows. */
export function withIncluded(row: Row, include: readonly Subresource[]): Row {
  const lists = include.flatMap(({ name }): [string, unknown][] => {
    // As `withLists` selects them.
    const { nodes, totalCount } = row[name] as { nodes: readonly Row[]; totalCount: number };
    return [
      [name, nodes],
      [totalOf(name), totalCount],
    ];
  });
  return Object.fromEntries([...Object.entries(row), ...lists]);
}
