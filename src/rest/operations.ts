import {
  assertValidSchema,
  type DocumentNode,
  execute,
  type GraphQLField,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  isObjectType,
  visit,
} from 'graphql';
import type { Context } from '../context.ts';
import {
  type Api,
  type Operation,
  Planner,
  type PreparedRead,
  parseRows,
  prepare,
  type ReadPlan,
  type Row,
  readRow,
  readRows,
  readWholeRow,
} from '../resource/index.ts';
import { type List, type ListPosition, toRestError } from './envelope.ts';
import { generateDocuments } from './generate.ts';
import { findSubresources, type Subresource, withLists } from './include.ts';
import { lazy } from './lazy.ts';
import { changedField, etagField, toRestSchema, withRootFields } from './rest-schema.ts';
import { type Route, routesOf } from './routes.ts';

/** The operation of one route, ready to run. */
export interface RestOperation {
  readonly route: Route;
  /** The root field of the document, with all of its arguments as variables. */
  readonly field: GraphQLField<unknown, unknown>;
  readonly document: DocumentNode;
  /** What it reads, where graphql-js need not execute the document. */
  readonly plan: ReadPlan | undefined;
  /** The schema in REST's form against which the document runs. */
  readonly schema: GraphQLSchema;
  /** The sub-resources that `include` accepts. */
  readonly subresources: readonly Subresource[];
  readonly withSubresources: Include;
}

/** Extends the operation to include rows of these sub-resources. */
export type Include = (subresources: readonly Subresource[]) => RestOperation;

/** The result of an operation. */
export interface Result<Data = unknown> {
  /** The value of the root field. */
  readonly data: Data;
  /** The row's ETag, if the operation is about one row. */
  readonly etag?: string;
  /** The fields that an update changed, by their names in GraphQL. */
  readonly changed?: readonly string[];
}

/**
 * Builds the operation of every route of an API.
 * @throws Error when a route's root field is missing, or no document can be generated for it
 */
export async function buildOperations(api: Pick<Api, 'schema' | 'operations' | 'reads'>): Promise<RestOperation[]> {
  const { schema, reads } = api;
  // Few clients include sub-resources.
  const plannerWithLists = lazy(() => new Planner(toRestSchema(schema, { lists: true }), reads, 'mapped'));
  const all = routesOf(api);
  const operations = [...new Set(all.map(({ operation }) => operation))];
  const restSchema = withRootFields(toRestSchema(schema, { results: true }), operations);
  // Validated now rather than during the first request.
  assertValidSchema(restSchema);
  const documents = await generateDocuments(restSchema, operations);
  const planner = new Planner(restSchema, reads, 'mapped');
  return all.map((route) => {
    const field = rootField(restSchema, route.operation);
    const whole = documents.get(route.operation);
    if (!whole) throw new Error(`${route.operation.field} has no document.`);
    // Without a body in the response, the id of a deleted row is enough.
    const document = route.status === 204 ? only(whole, [field.name, 'id']) : whole;
    const subresources = findSubresources(route, all, schema);
    const withoutChanged = without(document, changedField);
    const shown = without(withoutChanged, etagField);
    const base = { route, field, subresources, schema: restSchema, document: shown, plan: planOf(planner, shown) };
    const withSubresources = createVariants(base, plannerWithLists);
    if (!returnsEtag(route, field)) return { ...base, withSubresources };
    return { ...base, withSubresources, document: route.operation.action === 'update' ? document : withoutChanged };
  });
}

/** The plan of a document, which has one root field and no conditions. */
function planOf(planner: Planner, document: DocumentNode): ReadPlan | undefined {
  const operation = getOperationAST(document);
  return operation ? planner.planOf(document, operation, {})?.[0] : undefined;
}

/** Prepares what an operation reads by its plan; undefined where graphql-js executes its document. */
function prepareRead(
  { schema, document, plan }: RestOperation,
  variables: Readonly<Row>,
  context: Context,
): PreparedRead | undefined {
  if (!plan) return undefined;
  const { coerced } = getVariableValues(schema, getOperationAST(document)?.variableDefinitions ?? [], variables);
  return coerced && prepare(plan, coerced, context);
}

/** A page of a list whose rows are JSON already. */
export interface JsonList extends ListPosition {
  readonly rows: readonly string[];
}

/** Reads a page of a list. @throws ServiceError in REST's names */
export async function readList(operation: RestOperation, variables: Readonly<Row>, context: Context): Promise<List> {
  const read = prepareRead(operation, variables, context);
  if (!read) return (await executeDocument<List>(operation, variables, context)).data;
  const { texts, position } = await readPage(operation, read);
  return { nodes: await parseRows(texts), ...position };
}

/** The same, with rows that may be JSON already. */
export async function readJsonList(
  operation: RestOperation,
  variables: Readonly<Row>,
  context: Context,
): Promise<List | JsonList> {
  const read = prepareRead(operation, variables, context);
  if (!read?.isPlain) return readList(operation, variables, context);
  const { texts, position } = await readPage(operation, read);
  return { rows: texts, ...position };
}

async function readPage(
  { field }: RestOperation,
  read: PreparedRead,
): Promise<{ texts: readonly string[]; position: ListPosition }> {
  try {
    const { texts, page } = await readRows(read);
    const { rows, cursor, hasNextPage } = page;
    const last = rows.at(-1);
    const pageInfo = { hasNextPage, endCursor: hasNextPage && last ? cursor(last) : null };
    // CSV has no total, which may take a statement.
    const isCounted = read.plan.page?.some(({ name }) => name === 'totalCount');
    return { texts, position: { totalCount: isCounted ? await page.total() : rows.length, pageInfo } };
  } catch (error) {
    throw toRestError(error, field);
  }
}

/**
 * Runs an operation that is not a list.
 *
 * @typeParam Data what its document selects
 * @throws the first error of its execution, in REST's names
 */
export async function runOperation<Data = unknown>(
  operation: RestOperation,
  variables: Readonly<Row>,
  context: Context,
): Promise<Result<Data>> {
  const read = prepareRead(operation, variables, context);
  if (!read) return executeDocument<Data>(operation, variables, context);
  try {
    // The plan is that of the document, which determines the type.
    if (read.pages.length > 0) return { data: (await readRow(read)) as Data };
    const { row, etag } = await readWholeRow(read);
    return { data: row as Data, etag };
  } catch (error) {
    throw toRestError(error, operation.field);
  }
}

/** Executes the document of an operation by graphql-js. @throws as `runOperation` does */
async function executeDocument<Data>(
  { schema, document, field }: RestOperation,
  variableValues: Readonly<Row>,
  contextValue: Context,
): Promise<Result<Data>> {
  const { data, errors } = await execute({ schema, document, variableValues, contextValue });
  if (errors?.[0]) throw toRestError(errors[0], field);
  // The document that sofa generated determines the type.
  const result = data?.[field.name] as Data;
  if (typeof result !== 'object' || result === null || !(etagField in result)) return { data: result };
  const { [etagField]: etag, [changedField]: changed, ...row }: typeof result & Changed = result;
  // The same without what the two fields added to the document.
  return { data: row as Data, etag: String(etag), changed };
}

/** What the document of an update selects besides what REST shows. */
interface Changed {
  readonly [changedField]?: readonly string[];
}

/** The same list without its total. */
export function withoutTotal(operation: RestOperation): RestOperation {
  const { plan } = operation;
  const page = plan?.page?.filter(({ name }) => name !== 'totalCount');
  return { ...operation, document: without(operation.document, 'totalCount'), plan: plan && { ...plan, page } };
}

/** The same operation with only some fields of its row, by their names in REST. */
export const selectFields = (operation: RestOperation, fields: readonly string[]): RestOperation => ({
  ...operation,
  plan: undefined,
  document: visit(operation.document, {
    Field: (node) => {
      if (node.name.value === operation.field.name) return undefined;
      // Without the fields below it.
      return fields.includes(node.name.value) ? false : null;
    },
  }),
});

const only = (document: DocumentNode, fields: readonly string[]): DocumentNode =>
  visit(document, { Field: ({ name }) => (fields.includes(name.value) ? undefined : null) });

const without = (document: DocumentNode, field: string): DocumentNode =>
  visit(document, { Field: ({ name }) => (name.value === field ? null : undefined) });

/** Builds each combination of sub-resources once. The maximum of four has fifteen combinations. */
function createVariants(base: Omit<RestOperation, 'withSubresources'>, plannerWithLists: () => Planner): Include {
  const { route, document, subresources } = base;
  const { action, field, type } = route.operation;
  const variants = new Map<string, RestOperation>();
  const withSubresources: Include = (chosen) => {
    const inOrder = subresources.filter((one) => chosen.includes(one));
    const key = inOrder.map(({ name }) => name).join();
    let variant = variants.get(key);
    if (!variant) {
      const planner = plannerWithLists();
      const { schema } = planner;
      const rows = action === 'list' ? 'nodes' : field;
      const extended = withLists(document, rows, type, inOrder, schema);
      variant = { ...base, schema, document: extended, plan: planOf(planner, extended), withSubresources };
      variants.set(key, variant);
    }
    return variant;
  };
  return withSubresources;
}

/** Whether an operation returns an ETag: it returns one row that still exists. */
const returnsEtag = ({ operation }: Route, { type }: GraphQLField<unknown, unknown>) =>
  operation.action !== 'delete' && isObjectType(type) && etagField in type.getFields();

function rootField(schema: GraphQLSchema, { kind, field }: Operation): GraphQLField<unknown, unknown> {
  const root = kind === 'Query' ? schema.getQueryType() : schema.getMutationType();
  const found = root?.getFields()[field];
  if (!found) throw new Error(`The schema has no ${kind}.${field}.`);
  return found;
}
