// Tables, as CSV or a spreadsheet, of an operation whose root is one list, or the groups of one.
import { collectSubFields } from '@graphql-tools/utils';
import {
  type ArgumentNode,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  type SelectionNode,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { badRequest } from '../errors.ts';
import { typeOfScalar } from '../fields/index.ts';
import type { Table, TablePage } from '../http/table.ts';
import { isConnection, maxPageSize } from '../resource/index.ts';
import { fragmentsOf } from './database-costs.ts';
import { maxTokens } from './refusals.ts';

/** The path of values in the response. The path of a column begins at a row. */
type Path = readonly string[];

/** A column, by its path in a row. */
interface Column {
  readonly path: Path;
  /** The name of the type of its values. */
  readonly type: string;
}

/** An operation that a table can show. */
interface TableQuery {
  readonly name: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The only root field, by whose arguments the pages differ. */
  readonly root: FieldNode;
  /** The path of the rows: groups, `nodes` or `edges`. */
  readonly rows: Path;
  readonly columns: readonly Column[];
  /** Whether all rows are sent, page by page, rather than the one page that the query asks for. */
  readonly isPaged: boolean;
}

/** Runs one operation. */
type Run = (params: GraphQLParams) => Promise<ExecutionResult>;

/** The alias under which a page has its `pageInfo`. */
const pageAlias = 'tablePage';

/** The variable of where a later page begins. */
const afterVariable = 'tableAfter';

/**
 * Runs an operation to be sent as a table: a list page by page, unless the query has `first` or `last`.
 *
 * @returns the result instead, if the operation fails on its first page; a later page throws
 * @throws ServiceError BAD_REQUEST if the operation has not one list or group at its root
 */
export async function readTable(
  schema: GraphQLSchema,
  run: Run,
  params: GraphQLParams,
): Promise<Table | ExecutionResult> {
  const query = readQuery(schema, params);
  // Running an operation that is not valid reports why.
  if (!query) return run(params);
  const first = await run(firstPage(query, params));
  // Values that the caller may not read would be missing without an error.
  const failed = first.errors?.find(({ path }) => path);
  if (failed) throw failed.originalError ?? failed;
  if (!first.data) return first;
  const columns = query.columns.map(({ path, type }) => ({ name: path.join('.'), type: typeOfScalar(type) }));
  const later = laterPages(query, params);
  const read = (after: string) => run(later(after));
  return { name: query.name, columns, first: rowsOf(query, first, read) };
}

/** The rows of a page that was read. */
function rowsOf(
  query: TableQuery,
  { data }: ExecutionResult,
  read: (after: string) => Promise<ExecutionResult>,
): TablePage {
  const { rows: path, columns } = query;
  // The path leads to a list, as `readQuery` has found.
  const rows = (valueAt(data, path) ?? []) as readonly unknown[];
  // The fields that the document was given under this alias.
  const position = valueAt(data, [path[0] ?? '', pageAlias]) as { hasNextPage: boolean; endCursor: string } | undefined;
  const readNext = async () => {
    const page = await read(position?.endCursor ?? '');
    const [error] = page.errors ?? [];
    if (error) throw error.originalError ?? error;
    return rowsOf(query, page, read);
  };
  return {
    rows: rows.map((row) => columns.map((column) => valueAt(row, column.path))),
    next: position?.hasNextPage ? readNext : undefined,
  };
}

const valueAt = (value: unknown, path: Path): unknown =>
  // Each value on the way is an object, or missing.
  path.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | null | undefined)?.[name], value);

/** Reads the operation; undefined if it cannot run as it is. @throws ServiceError BAD_REQUEST */
function readQuery(
  schema: GraphQLSchema,
  { query = '', operationName, variables = {} }: GraphQLParams,
): TableQuery | undefined {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens });
  } catch {
    return undefined;
  }
  const operation = getOperationAST(document, operationName);
  const queryType = schema.getQueryType();
  if (!operation || !queryType) return undefined;
  if (operation.operation !== OperationTypeNode.QUERY) throw notOneList();
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (!coerced) return undefined;
  const reader = new SelectionReader(schema, document, coerced);
  const [root, ...others] = reader.below(queryType, [operationAsField(operation)]);
  if (!root || others.length > 0 || root.nodes.length > 1 || !isConnection(root.type)) throw notOneList();
  const lists = reader.below(root.type, root.nodes);
  const [list, another] = lists.filter(({ name }) => ['nodes', 'edges', 'aggregates'].includes(name));
  if (!list || another) throw notOneList();
  const [field] = root.nodes;
  const given = (field?.arguments ?? []).map(({ name }) => name.value);
  return {
    name: operation.name?.value ?? root.key,
    document,
    operation,
    // The only selection, which is a field.
    root: field as FieldNode,
    rows: [root.key, list.key],
    columns: reader.columns(list.type, list.nodes, []),
    isPaged: list.name !== 'aggregates' && !given.some((name) => ['first', 'last', 'before'].includes(name)),
  };
}

const notOneList = () =>
  badRequest(
    'CSV and spreadsheets require one list at the root of the query, and one selection of nodes, edges or aggregates in it.',
  );

const operationAsField = ({ selectionSet }: OperationDefinitionNode): FieldNode => ({
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: 'query' },
  selectionSet,
});

/** A field that is selected, by its name in the response. */
interface Selected {
  readonly key: string;
  readonly name: string;
  readonly type: GraphQLObjectType;
  readonly isList: boolean;
  readonly nodes: readonly FieldNode[];
}

/** Reads what a query selects. */
class SelectionReader {
  private readonly fragments: Record<string, FragmentDefinitionNode>;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Record<string, unknown>,
  ) {
    this.fragments = Object.fromEntries(fragmentsOf(document));
  }

  /** The fields selected inside fields that have one name in the response. */
  below(type: GraphQLObjectType, nodes: readonly FieldNode[]): Selected[] {
    const { fields } = collectSubFields(this.schema, this.fragments, this.variables, type, [...nodes]);
    return [...fields].flatMap(([key, found]): Selected[] => {
      const name = found[0]?.name.value ?? '';
      const field = type.getFields()[name];
      if (!field) return [];
      const isList = isListType(getNullableType(field.type));
      // A field with a selection returns objects.
      return [{ key, name, type: getNamedType(field.type) as GraphQLObjectType, isList, nodes: found }];
    });
  }

  /** Values of a row and of its related rows are columns; lists inside are one column each, as JSON. */
  columns(type: GraphQLObjectType, nodes: readonly FieldNode[], path: Path): Column[] {
    return this.below(type, nodes).flatMap((selected) => {
      const at = [...path, selected.key];
      const isRow = isObjectType(selected.type) && !selected.isList && !isConnection(selected.type);
      return isRow ? this.columns(selected.type, selected.nodes, at) : [{ path: at, type: selected.type.name }];
    });
  }
}

/** The parameters of the first page: the query's own with other arguments of the list. */
const firstPage = (query: TableQuery, params: GraphQLParams): GraphQLParams =>
  query.isPaged ? { ...params, query: printPage(query, ['first'], [pageSize]) } : params;

/**
 * The parameters of further pages, by the position that they begin after. They have one text, so that the operation is
 * parsed, validated and planned once for all of them.
 */
function laterPages(query: TableQuery, params: GraphQLParams): (after: string) => GraphQLParams {
  const variable = { kind: Kind.VARIABLE as const, name: named(afterVariable) };
  const text = printPage(query, ['first', 'after', 'offset'], [pageSize, argument('after', variable)], {
    kind: Kind.VARIABLE_DEFINITION,
    variable,
    type: { kind: Kind.NAMED_TYPE, name: named('String') },
  });
  return (after) => ({ ...params, query: text, variables: { ...params.variables, [afterVariable]: after } });
}

/** The query with other arguments of the list, whose position is selected too. */
function printPage(
  { document, operation, root }: TableQuery,
  replaced: readonly string[],
  added: readonly ArgumentNode[],
  definition?: VariableDefinitionNode,
): string {
  const list: FieldNode = {
    ...root,
    arguments: [...(root.arguments ?? []).filter(({ name }) => !replaced.includes(name.value)), ...added],
    selectionSet: {
      kind: Kind.SELECTION_SET,
      selections: [...(root.selectionSet?.selections ?? []), pageInfo],
    },
  };
  const changed = visit(document, {
    Field: (node) => (node === root ? list : undefined),
    OperationDefinition: (node) =>
      node === operation && definition
        ? { ...node, variableDefinitions: [...(node.variableDefinitions ?? []), definition] }
        : undefined,
  });
  return print(withoutUnusedVariables(changed));
}

const named = (value: string) => ({ kind: Kind.NAME as const, value });
const argument = (name: string, value: ValueNode): ArgumentNode => ({ kind: Kind.ARGUMENT, name: named(name), value });
const pageSize = argument('first', { kind: Kind.INT, value: String(maxPageSize) });
const leaf = (name: string): FieldNode => ({ kind: Kind.FIELD, name: named(name) });

const pageInfo: SelectionNode = {
  ...leaf('pageInfo'),
  alias: named(pageAlias),
  selectionSet: { kind: Kind.SELECTION_SET, selections: [leaf('hasNextPage'), leaf('endCursor')] },
};

/** Replaced arguments may have been the only ones with their variables. */
function withoutUnusedVariables(document: DocumentNode): DocumentNode {
  const used = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void used.add(name.value),
  });
  return visit(document, {
    VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null),
  });
}
