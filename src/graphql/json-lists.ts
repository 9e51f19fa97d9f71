// Executes a query of one list whose response PostgreSQL can write: its rows' columns, and rows and lists inside them.
import {
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isObjectType,
  Kind,
  locatedError,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { findRefusal, type Guarded, permits } from '../auth/access.ts';
import type { Context } from '../context.ts';
import { type JsonList, type JsonMember, type JsonRow, maxMembers } from '../database/read/json.ts';
import { ServiceError } from '../errors.ts';
import { JsonText } from '../http/json-text.ts';
import {
  accessOf,
  columnMember,
  type ListArguments,
  type Page,
  type ReadListed,
  type ReadPage,
  type Row,
} from '../resource/index.ts';
import { type Fragments, fragmentsOf } from './database-costs.ts';

/** Thrown where only graphql-js can execute the query. A single instance, because each new Error captures a stack. */
const unsupported = new Error('The selection cannot be read as JSON.');

/**
 * Executes a query of one list by the kit's reads, with the rows as JSON. Anything else, such as computed fields,
 * directives or fields that the caller may not read, is left to graphql-js, which gives the same response for the rest.
 *
 * @returns nothing where graphql-js must execute the query
 */
export function executeAsJson(args: ExecutionArgs): Promise<ExecutionResult> | undefined {
  const { schema, document, operationName, variableValues } = args;
  // This service creates every context.
  const context = args.contextValue as Context;
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return undefined;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], { ...variableValues });
  if (!coerced) return undefined;
  try {
    const reader = new SelectionReader(fragmentsOf(document), coerced, context);
    const [root, ...others] = reader.fieldsOf('Query', operation.selectionSet);
    const field = root && schema.getQueryType()?.getFields()[root.name.value];
    const { readPage, ...guarded } = field?.extensions ?? {};
    if (!field || !readPage || others.length > 0) return undefined;
    // The kit writes these extensions with each `readPage`.
    if (findRefusal(context.caller, guarded as Guarded)) return undefined;
    return readJson(root, readPage, reader.argumentsOf(field, root), reader.pageOf(field, root), context);
  } catch (error) {
    // An error in the arguments of an inner list belongs to its field.
    if (error === unsupported || error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** The fields of the page that a client selects, in order; of its rows, what their JSON has. */
interface SelectedPage {
  readonly type: GraphQLObjectType;
  readonly fields: readonly FieldNode[];
  readonly rows?: JsonRow;
  readonly pageInfo: readonly FieldNode[];
}

/** Reads the page of the list, and writes the JSON of what is selected. A failure is the error of the root field. */
async function readJson(
  root: FieldNode,
  readPage: ReadPage,
  given: Row,
  selected: SelectedPage,
  context: Context,
): Promise<ExecutionResult> {
  const key = keyOf(root);
  const names = new Set(selected.fields.map(({ name }) => name.value));
  try {
    const page = await readPage(given, context, {
      rows: (select) => ({ select, json: selected.rows }),
      has: (name) => names.has(name),
    });
    const members = await Promise.all(
      selected.fields.map(async (field) => `"${keyOf(field)}":${await pageFieldOf(field.name.value, page, selected)}`),
    );
    // ExecutionResult has no type for data that is text.
    return { data: new JsonText(`{"${key}":{${members.join(',')}}}`) as object as Row };
  } catch (error) {
    return { data: { [key]: null }, errors: [locatedError(error, [root], [key])] };
  }
}

/** The JSON of a field of a page. */
async function pageFieldOf(name: string, page: Page, { type, pageInfo }: SelectedPage): Promise<string> {
  if (name === 'nodes') return `[${page.rows.map(({ json }) => json as string).join(',')}]`;
  if (name === 'totalCount') return String(await page.total());
  if (name === '__typename') return `"${type.name}"`;
  const { rows, cursor, hasNextPage, hasPreviousPage } = page;
  const cursorOf = (row: Row | undefined) => (row ? cursor(row) : null);
  const position: Record<string, () => unknown> = {
    __typename: () => 'PageInfo',
    hasNextPage: () => hasNextPage,
    hasPreviousPage: () => hasPreviousPage,
    startCursor: () => cursorOf(rows[0]),
    endCursor: () => cursorOf(rows.at(-1)),
  };
  return JSON.stringify(Object.fromEntries(pageInfo.map((field) => [keyOf(field), position[field.name.value]?.()])));
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/** Reads what a query selects. Its methods throw `unsupported`. */
class SelectionReader {
  constructor(
    private readonly fragments: Fragments,
    private readonly variables: Readonly<Record<string, unknown>>,
    private readonly context: Context,
  ) {}

  /** The fields of a selection, also those of fragments; each has another key. */
  fieldsOf(type: string, set: SelectionSetNode | undefined): FieldNode[] {
    const fields = (set?.selections ?? []).flatMap((node): FieldNode[] => {
      if (node.directives?.length) throw unsupported;
      if (node.kind === Kind.FIELD) return [node];
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(node.name.value) : node;
      if (!fragment || fragment.directives?.length || (fragment.typeCondition?.name.value ?? type) !== type)
        throw unsupported;
      return this.fieldsOf(type, fragment.selectionSet);
    });
    if (fields.length > maxMembers || new Set(fields.map(keyOf)).size < fields.length) throw unsupported;
    return fields;
  }

  /** The arguments of a field. */
  argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Row {
    return getArgumentValues(field, node, this.variables);
  }

  /** What is selected of a field that returns a page. */
  pageOf(field: GraphQLField<unknown, unknown>, { selectionSet }: FieldNode): SelectedPage {
    const type = objectOf(field);
    const fields = this.fieldsOf(type.name, selectionSet);
    const [nodes, ...more] = fields.filter(({ name }) => name.value === 'nodes');
    const [pageInfo, ...others] = fields.filter(({ name }) => name.value === 'pageInfo');
    if (more.length > 0 || others.length > 0 || !fields.every(({ name }) => pageFields.includes(name.value)))
      throw unsupported;
    return {
      type,
      fields,
      rows: nodes && this.rowOf(objectOf(type.getFields()['nodes']), nodes.selectionSet),
      pageInfo: pageInfo ? this.fieldsOf('PageInfo', pageInfo.selectionSet) : [],
    };
  }

  private rowOf(type: GraphQLObjectType, set: SelectionSetNode | undefined): JsonRow {
    return this.fieldsOf(type.name, set).map((node) => this.memberOf(type, node));
  }

  private memberOf(type: GraphQLObjectType, node: FieldNode): JsonMember {
    const key = keyOf(node);
    const model = type.extensions.pothosPrismaModel;
    if (model && node.name.value === '__typename') return { key, text: type.name };
    const field = type.getFields()[node.name.value];
    if (!model || !field) throw unsupported;
    const access = accessOf(field);
    if (access && !permits(this.context.caller, access)) throw unsupported;
    const { pothosPrismaRelationField: relation, listed } = field.extensions;
    if (listed) return { key, list: this.listOf(field, node, listed) };
    if (relation && !relation.isList && field.args.length === 0)
      return { key, relation: relation.name, row: this.rowOf(objectOf(field), node.selectionSet) };
    const column = columnMember(model, field, key, 'member');
    if (!column) throw unsupported;
    return column;
  }

  private listOf(field: GraphQLField<unknown, unknown>, node: FieldNode, readListed: ReadListed): JsonList {
    // Lists have these arguments.
    const given = this.argumentsOf(field, node) as ListArguments;
    // Rows from the end are read in the opposite order.
    if (given.last != null) throw unsupported;
    const { relation, to, query } = readListed(given, this.context);
    const { where, orderBy, take = 1, skip } = query;
    const connection = objectOf(field);
    const members = this.fieldsOf(connection.name, node.selectionSet).map(
      ({ name, ...rest }): JsonList['members'][number] => {
        const key = keyOf({ name, ...rest });
        if (name.value === '__typename') return { key, text: connection.name };
        if (name.value !== 'nodes') throw unsupported;
        return { key, nodes: this.rowOf(objectOf(connection.getFields()['nodes']), rest.selectionSet) };
      },
    );
    // One more row than the page would show only whether another page follows.
    return { relation, to, args: { where, orderBy, take: take - 1, skip }, members };
  }
}

const pageFields = ['nodes', 'totalCount', 'pageInfo', '__typename'];

function objectOf(field: GraphQLField<unknown, unknown> | undefined): GraphQLObjectType {
  const type = getNamedType(field?.type);
  if (!isObjectType(type)) throw unsupported;
  return type;
}
