// `include`: a GET shows rows of sub-resources inside its own, so that a client need not ask for those of each.
import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  visit,
} from 'graphql';
import { InvalidValue, suggest } from '../input/index.ts';
import { maxPageSize } from '../resource/index.ts';
import { api } from '../schema/index.ts';
import { defaultSort, fieldName } from './names.ts';
import type { Route } from './routes.ts';

type Row = Readonly<Record<string, unknown>>;

/** A sub-resource that rows can be shown with. */
export interface Includable {
  /** What `include` calls it, and the field that it is then. */
  readonly name: string;
  /** The type of its rows. */
  readonly type: string;
}

/** How many rows of each sub-resource are shown: as many as a page of them has at the most. */
export const maxIncluded = maxPageSize;

/** The field that says how many rows of a sub-resource there are in all. */
export const totalOf = (name: string) => `${name}_total`;

/**
 * What the rows of a route can be shown with: the lists that REST has below its items.
 * @param schema the product's schema, in which the rows have these lists as fields
 */
export function includable(
  { operation: { action, path, type } }: Route,
  all: readonly Route[],
  schema: GraphQLSchema,
): Includable[] {
  const rows = schema.getType(type);
  if ((action !== 'list' && action !== 'read') || !isObjectType(rows)) return [];
  const lists = Object.values(rows.getFields())
    .filter((field) => api.connectionTypes.has(getNamedType(field.type).name))
    .map(({ name }) => fieldName(name));
  const item = action === 'list' ? `${path}/:id` : path;
  const below = new RegExp(`^${item.replace(/:\w+/g, ':\\w+')}/([\\w-]+)$`);
  return all.flatMap(({ operation: child }) => {
    const name = below.exec(child.path)?.[1]?.replaceAll('-', '_');
    return child.action === 'list' && name && lists.includes(name) ? [{ name, type: child.type }] : [];
  });
}

/**
 * Reads the parameter: names, comma-separated or repeated.
 * @throws InvalidValue
 */
export function readInclude(raw: string | string[], known: readonly Includable[]): Includable[] {
  const all = known.map(({ name }) => name);
  const given = [raw].flat().flatMap((text) => text.split(','));
  return [...new Set(given.map((name) => name.trim()))].map((name) => {
    const found = known.find((one) => one.name === name);
    if (!found) throw new InvalidValue(`must be any of ${all.join(', ')}${suggest(name, all)}`);
    return found;
  });
}

/**
 * The same operation, asking for sub-resources too.
 * @param rows the field of the operation whose selection is that of a row
 * @param type the type of its rows
 * @param schema REST's dialect, in which that type has its lists
 */
export function withLists(
  document: DocumentNode,
  rows: string,
  type: string,
  include: readonly Includable[],
  schema: GraphQLSchema,
): DocumentNode {
  const lists = include.map((one) => {
    const sorted = fieldsOf(type, schema)[one.name]?.args.some(({ name }) => name === 'sort');
    const sort = sorted ? `, sort: "${defaultSort.sort}", order: "${defaultSort.order}"` : '';
    return `${one.name}(first: ${maxIncluded}${sort}) { nodes ${wholeOf(one.type, schema)} totalCount }`;
  });
  const { selections } = (parse(`{ ${lists.join(' ')} }`).definitions[0] as OperationDefinitionNode).selectionSet;
  return visit(document, {
    Field: {
      // Not on the way in, or the lists' own rows would be met too.
      leave: ({ selectionSet, ...field }) =>
        field.name.value === rows && selectionSet
          ? { ...field, selectionSet: { ...selectionSet, selections: [...selectionSet.selections, ...selections] } }
          : undefined,
    },
  });
}

/** The fields of a type that REST returns by default, as a selection. */
function wholeOf(type: string, schema: GraphQLSchema): string {
  const fields = Object.values(fieldsOf(type, schema)).flatMap(({ name, type: shown }) => {
    const inner = getNamedType(shown);
    if (api.connectionTypes.has(inner.name)) return [];
    return isObjectType(inner) ? `${name} ${wholeOf(inner.name, schema)}` : name;
  });
  return `{ ${fields.join(' ')} }`;
}

function fieldsOf(type: string, schema: GraphQLSchema) {
  const found = schema.getType(type);
  if (!isObjectType(found)) throw new Error(`The schema has no object ${type}.`);
  return found.getFields();
}

/** A row with the rows of its sub-resources in the place of their connections. */
export function withIncluded(row: Row, include: readonly Includable[]): Row {
  const lists = include.map(({ name }) => {
    const { nodes, totalCount } = row[name] as { nodes: readonly Row[]; totalCount: number };
    return { [name]: nodes, [totalOf(name)]: totalCount };
  });
  return Object.assign({}, row, ...lists) as Row;
}
