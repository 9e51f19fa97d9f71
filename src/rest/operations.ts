import {
  assertValidSchema,
  type DocumentNode,
  execute,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  isObjectType,
  parse,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { Context } from '../context.ts';
import {
  type Api,
  getOrCreate,
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
  showsRelated,
} from '../resource/index.ts';
import { aggregateField } from './aggregates/parameters.ts';
import { type List, type ListPosition, toRestError } from './envelope.ts';
import type { FieldSelection } from './fields.ts';
import { generateDocuments } from './generate.ts';
import { findSubresources, listsOf, type Subresource, typeIn } from './include.ts';
import { lazy } from './lazy.ts';
import { changedField, etagField, toRestSchema, withRootFields } from './rest-schema.ts';
import { type Route, routesOf, takesFields, writesBeside } from './routes.ts';

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
  /** The type of its rows with those that they are related to; undefined where `fields` is no parameter. */
  readonly related: (() => GraphQLObjectType) | undefined;
  readonly reading: Reading;
  /** The schema that has the lists inside rows, and aggregates. */
  readonly relatedSchema: () => GraphQLSchema;
  /** The one for bodies that are a list of writes, where the route has another one for others. */
  readonly orWrites?: RestOperation | undefined;
}

/** The operation that reads these fields of each row, by default all, and includes rows of these sub-resources. */
export type Reading = (what: {
  readonly include: readonly Subresource[];
  readonly fields?: FieldSelection | undefined;
}) => RestOperation;

/** How many operations with some fields are kept, of all routes. */
const maxSelections = 500;

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
  // Few clients include sub-resources, or name fields.
  const relatedPlanner = lazy(
    () => new Planner(toRestSchema(schema, { related: true, results: true }), reads, 'mapped'),
  );
  const selections: Variants = new Map();
  const all = routesOf(api);
  const besides = all.flatMap((route) => writesBeside(route) ?? []);
  const ofLists = all.filter(({ operation }) => operation.action !== 'aggregate');
  const operations = [...new Set([...ofLists, ...besides].map(({ operation }) => operation))];
  const restSchema = withRootFields(toRestSchema(schema, { results: true }), operations);
  // Validated now rather than during the first request.
  assertValidSchema(restSchema);
  const documents = await generateDocuments(restSchema, operations);
  const planner = new Planner(restSchema, reads, 'mapped');
  const build = (route: Route): RestOperation => {
    const field = rootField(restSchema, route.operation);
    const whole = documents.get(route.operation);
    if (!whole) throw new Error(`${route.operation.field} has no document.`);
    // Without a body in the response, the id of a deleted row is enough.
    const document = route.status === 204 ? only(whole, [field.name, 'id']) : whole;
    const subresources = findSubresources(route, all, schema);
    const withoutChanged = without(document, changedField);
    const shown = without(withoutChanged, etagField);
    const related = takesFields(route, schema)
      ? () => typeIn(relatedPlanner().schema, route.operation.type)
      : undefined;
    const plan = planOf(planner, shown);
    const relatedSchema = () => relatedPlanner().schema;
    const base = { route, field, subresources, schema: restSchema, document: shown, plan, related, relatedSchema };
    const reading = createVariants(base, relatedPlanner, selections);
    if (!returnsEtag(route, field)) return { ...base, reading };
    return { ...base, reading, document: route.operation.action === 'update' ? document : withoutChanged };
  };
  const byField = new Map(operations.map((operation) => [operation.field, operation]));
  return all.map((route) => {
    const { action, field } = route.operation;
    const ofList = action === 'aggregate' ? byField.get(field) : undefined;
    if (ofList) {
      const list = build({ ...route, operation: ofList });
      return { ...list, route, field: aggregateField(list.field), subresources: [], related: undefined };
    }
    const beside = writesBeside(route);
    return { ...build(route), orWrites: beside && build(beside) };
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
    const matches = read.plan.page?.some(({ name }) => name === 'matches') ? await page.matches?.() : undefined;
    return { texts, position: { totalCount: isCounted ? await page.total() : rows.length, pageInfo, matches } };
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
    if (read.pages.length > 0 || showsRelated(read.plan)) return { data: (await readRow(read)) as Data };
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

/** The same list with its rows alone, for tables. */
export function withoutTotal(operation: RestOperation): RestOperation {
  const { plan } = operation;
  const page = plan?.page?.filter(({ name }) => name !== 'totalCount' && name !== 'matches');
  const document = without(without(operation.document, 'totalCount'), 'matches');
  return { ...operation, document, plan: plan && { ...plan, page } };
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

/** Operations that differ in what they read, by what it is. */
type Variants = Map<string, RestOperation>;

/**
 * Builds each combination of sub-resources once: the maximum of four has fifteen. Those with some fields are as many as
 * clients like, so that all routes together keep the latest.
 */
function createVariants(base: Omit<RestOperation, 'reading'>, planner: () => Planner, selections: Variants): Reading {
  const { route, subresources } = base;
  const whole: Variants = new Map();
  const reading: Reading = ({ include, fields }) => {
    const inOrder = subresources.filter((one) => include.includes(one));
    const lists = inOrder.map(({ name }) => name).join();
    if (!fields) return getOrCreate(whole, lists, () => ({ ...extend(base, planner(), inOrder), reading }));
    const key = `${route.path} ${lists} ${fields.key}`;
    const made = selections.get(key) ?? { ...extend(base, planner(), inOrder, fields), reading };
    // The last one is the latest.
    selections.delete(key);
    selections.set(key, made);
    const [oldest] = selections.keys();
    if (selections.size > maxSelections && oldest !== undefined) selections.delete(oldest);
    return made;
  };
  return reading;
}

/** The operation with the fields in place of all, and with rows of sub-resources. */
function extend(
  base: Omit<RestOperation, 'reading'>,
  planner: Planner,
  include: readonly Subresource[],
  fields?: FieldSelection,
): Omit<RestOperation, 'reading'> {
  const { schema } = planner;
  const { route, field } = base;
  const { action, field: name, type } = route.operation;
  const selecting = (...more: readonly string[]) => {
    const selections = selectionsOf([fields?.text, listsOf(type, include, schema), ...more].join(' '));
    return withSelections(base.document, action === 'list' ? 'nodes' : name, (all) =>
      fields ? selections : [...all, ...selections],
    );
  };
  const shown = selecting();
  // The ETag is that of the row, so it does not apply to others.
  const hasEtag = include.length === 0 && !fields?.hasRelated && returnsEtag(route, field);
  return { ...base, schema, document: hasEtag ? selecting(etagField) : shown, plan: planOf(planner, shown) };
}

type Selections = SelectionSetNode['selections'];

/** @param text fields in the syntax of GraphQL */
const selectionsOf = (text: string): Selections => getOperationAST(parse(`{ ${text} }`))?.selectionSet.selections ?? [];

/** A document that selects other fields of its rows. @param rows the field whose selection is that of a row */
const withSelections = (
  document: DocumentNode,
  rows: string,
  change: (selections: Selections) => Selections,
): DocumentNode =>
  visit(document, {
    Field: {
      // On leaving, so that the rows of added lists are not visited.
      leave: ({ selectionSet, ...field }) =>
        field.name.value === rows && selectionSet
          ? { ...field, selectionSet: { ...selectionSet, selections: change(selectionSet.selections) } }
          : undefined,
    },
  });

/** Whether an operation returns an ETag: it returns one row that still exists. */
const returnsEtag = ({ operation }: Route, { type }: GraphQLField<unknown, unknown>) =>
  operation.action !== 'delete' && isObjectType(type) && etagField in type.getFields();

function rootField(schema: GraphQLSchema, { kind, field }: Operation): GraphQLField<unknown, unknown> {
  const root = kind === 'Query' ? schema.getQueryType() : schema.getMutationType();
  const found = root?.getFields()[field];
  if (!found) throw new Error(`The schema has no ${kind}.${field}.`);
  return found;
}
