// The `fields` parameter: a GET answers with these fields of each row, also of rows that it is related to.
import { type GraphQLObjectType, getNamedType, getNullableType, isListType, isObjectType } from 'graphql';
import { badRequest } from '../errors.ts';
import { typeOfScalar } from '../fields/index.ts';
import type { TableColumn } from '../http/table.ts';
import { suggest } from '../input/index.ts';
import { isConnection } from '../resource/index.ts';
import { behindSummary, isRelation, shownNames } from './rest-schema.ts';
import { splitSeparated } from './separated.ts';

/** How many fields a request may name, through how many relations, and how many of these one after another. */
export const maxFields = 50;
export const maxRelations = 10;
export const maxDepth = 3;

/** A column of a list: where its values are in a row. */
export interface RowColumn extends TableColumn {
  readonly path: readonly string[];
}

/** The fields to answer with. */
export interface FieldSelection {
  /** The same for all requests that name the same fields in the same order. */
  readonly key: string;
  /** In the syntax of GraphQL, without its braces. */
  readonly text: string;
  /** What a table shows: lists and objects that are named as a whole are one column. */
  readonly columns: readonly RowColumn[];
  /** Whether fields of related rows are among them. */
  readonly hasRelated: boolean;
}

/** Fields by their names, in order, each with those below it: null for all that REST shows. */
type Tree = Map<string, Tree | null>;

/** One field that a request names. */
interface FoundField {
  /** The types that have each of its names. */
  readonly owners: readonly GraphQLObjectType[];
  /** How many of its names a table shows as one column. */
  readonly shown: number;
  readonly relations: readonly string[];
  /** Where it leads to a row of which REST shows a summary, with the type of that. */
  readonly summaries: ReadonlyMap<string, GraphQLObjectType>;
}

/**
 * Reads the parameter: names, comma-separated or repeated, with a dot before a field of a related row.
 *
 * @param type the type of rows, in a schema in REST's form that has relations
 * @throws ServiceError BAD_REQUEST
 */
export function readFields(raw: string | string[], type: GraphQLObjectType): FieldSelection {
  const paths = [...new Set([raw].flat().flatMap(splitSeparated))];
  if (paths.length > maxFields) throw badRequest(`must be at most ${maxFields} fields`);
  const tree: Tree = new Map();
  const columns = new Map<string, RowColumn>();
  const relations = new Set<string>();
  const summaries = new Map<string, GraphQLObjectType>();
  for (const path of paths) {
    const found = findField(type, path.split('.'), path);
    for (const relation of found.relations) relations.add(relation);
    if (relations.size > maxRelations) throw badRequest(`must be fields of at most ${maxRelations} related rows`);
    for (const [place, summary] of found.summaries) summaries.set(place, summary);
  }
  // A summary and more of its row are read from the row.
  const wholes = (path: string) => {
    const summary = summaries.get(path);
    return summary ? shownNames(summary).map((name) => `${path}.${name}`) : [path];
  };
  for (const path of paths.flatMap(wholes)) {
    const names = path.split('.');
    const found = findField(type, names, path);
    addTo(tree, names);
    const shown = names.slice(0, found.shown);
    const name = shown.join('.');
    const leaf = found.owners.at(found.shown - 1)?.getFields()[shown.at(-1) ?? ''];
    columns.set(name, { name, path: shown, type: typeOfScalar(getNamedType(leaf?.type)?.name ?? '') });
  }
  return {
    key: paths.join(),
    text: print(tree, type, summaries),
    columns: [...columns.values()],
    hasRelated: relations.size > 0,
  };
}

/** @throws ServiceError BAD_REQUEST where a type has no such field */
function findField(rows: GraphQLObjectType, names: readonly string[], path: string): FoundField {
  const owners: GraphQLObjectType[] = [];
  const relations: string[] = [];
  const summaries = new Map<string, GraphQLObjectType>();
  let shown = names.length;
  let owner: GraphQLObjectType = rows;
  for (const [n, name] of names.entries()) {
    const given = shownNames(owner).includes(name) ? owner.getFields()[name] : undefined;
    const place = names.slice(0, n + 1).join('.');
    if (!given) throw unknown(owner, name, path);
    const summary = getNamedType(given.type);
    const whole = owner.getFields()[behindSummary(name)];
    const below = names[n + 1];
    const isBeyond = whole && isObjectType(summary) && below !== undefined && !shownNames(summary).includes(below);
    if (isBeyond) summaries.set(place, summary);
    const field = isBeyond ? whole : given;
    const type = getNamedType(field.type);
    const isLast = n === names.length - 1;
    owners.push(owner);
    if (isConnection(type)) throw badRequest(`${show(place)} is a list of rows, which has a path of its own`);
    if (!isObjectType(type)) {
      if (!isLast) throw badRequest(`${show(place)} has no fields`);
      break;
    }
    if (isRelation(field)) {
      if (isLast) throw badRequest(`${show(path)} is another row: name fields of it, such as ${show(path)}.id`);
      relations.push(place);
      if (relations.length > maxDepth) throw badRequest(`${show(path)} is more than ${maxDepth} relations away`);
    }
    if (isListType(getNullableType(field.type))) shown = Math.min(shown, n + 1);
    owner = type;
  }
  return { owners, shown, relations, summaries };
}

/** A name of a client, in an error. */
const show = (name: string): string => name.slice(0, 100);

function unknown(owner: GraphQLObjectType, name: string, path: string) {
  if (path === '') return badRequest('has an empty name');
  const names = shownNames(owner).filter((each) => !isConnection(getNamedType(owner.getFields()[each]?.type)));
  return badRequest(`${show(path)} is not a field here${suggest(name, names)}`);
}

/** A field that is named as a whole has what is named below it. */
function addTo(tree: Tree, [name = '', ...below]: readonly string[]): void {
  const known = tree.get(name);
  if (below.length === 0) tree.set(name, null);
  else if (known) addTo(known, below);
  else if (known === undefined) {
    const inner: Tree = new Map();
    tree.set(name, inner);
    addTo(inner, below);
  }
}

/** @param summaries the places at which the row itself is read, and not the summary that has its name */
const print = (
  tree: Tree,
  type: GraphQLObjectType,
  summaries: ReadonlyMap<string, GraphQLObjectType>,
  above = '',
): string =>
  [...tree]
    .map(([name, below]) => {
      const place = above + name;
      const field = summaries.has(place) ? behindSummary(name) : name;
      const inner = getNamedType(type.getFields()[field]?.type);
      if (!isObjectType(inner)) return name;
      const fields = below ? print(below, inner, summaries, `${place}.`) : wholeOf(inner);
      return `${field === name ? name : `${name}: ${field}`} { ${fields} }`;
    })
    .join(' ');

/** The fields of a type that REST shows, in the syntax of GraphQL without its braces. */
export const wholeOf = (type: GraphQLObjectType): string =>
  shownNames(type)
    .flatMap((name) => {
      const field = type.getFields()[name];
      const inner = getNamedType(field?.type);
      if (!field || isConnection(inner) || isRelation(field)) return [];
      return isObjectType(inner) ? `${name} { ${wholeOf(inner)} }` : name;
    })
    .join(' ');
