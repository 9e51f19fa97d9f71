import {
  assertValidSchema,
  type DocumentNode,
  execute,
  type GraphQLField,
  type GraphQLSchema,
  isObjectType,
  visit,
} from 'graphql';
import type { Context } from '../context.ts';
import type { Operation } from '../resource/index.ts';
import { toRestError } from './envelope.ts';
import { generateDocuments } from './generate.ts';
import { findSubresources, type Subresource, withLists } from './include.ts';
import { lazy } from './lazy.ts';
import { changedField, etagField, toRestSchema, withRootFields } from './rest-schema.ts';
import { type Route, routes } from './routes.ts';

/** The operation of one route, ready to run. */
export interface RestOperation {
  readonly route: Route;
  /** The root field of the document, with all of its arguments as variables. */
  readonly field: GraphQLField<unknown, unknown>;
  readonly document: DocumentNode;
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
 * Builds the operation of every route.
 * @param schema the product's schema
 * @throws Error when a route's root field is missing, or no document can be generated for it
 */
export async function buildOperations(schema: GraphQLSchema): Promise<RestOperation[]> {
  // Few clients include sub-resources.
  const schemaWithLists = lazy(() => toRestSchema(schema, { lists: true }));
  const all = routes();
  const operations = [...new Set(all.map(({ operation }) => operation))];
  const restSchema = withRootFields(toRestSchema(schema, { results: true }), operations);
  // Validated now rather than during the first request.
  assertValidSchema(restSchema);
  const documents = await generateDocuments(restSchema, operations);
  return all.map((route) => {
    const field = rootField(restSchema, route.operation);
    const whole = documents.get(route.operation);
    if (!whole) throw new Error(`${route.operation.field} has no document.`);
    // Without a body in the response, the id of a deleted row is enough.
    const document = route.status === 204 ? only(whole, [field.name, 'id']) : whole;
    const subresources = findSubresources(route, all, schema);
    const withoutChanged = without(document, changedField);
    const base = { route, field, subresources, schema: restSchema, document: without(withoutChanged, etagField) };
    const withSubresources = createVariants(base, schemaWithLists);
    if (!returnsEtag(route, field)) return { ...base, withSubresources };
    return { ...base, withSubresources, document: route.operation.action === 'update' ? document : withoutChanged };
  });
}

/**
 * Runs an operation.
 * @typeParam Data what its document selects
 * @throws the first error of its execution, in REST's names
 */
export async function runOperation<Data = unknown>(
  { schema, document, field }: RestOperation,
  variableValues: Readonly<Record<string, unknown>>,
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
export const withoutTotal = (operation: RestOperation): RestOperation => ({
  ...operation,
  document: without(operation.document, 'totalCount'),
});

const only = (document: DocumentNode, fields: readonly string[]): DocumentNode =>
  visit(document, { Field: ({ name }) => (fields.includes(name.value) ? undefined : null) });

const without = (document: DocumentNode, field: string): DocumentNode =>
  visit(document, { Field: ({ name }) => (name.value === field ? null : undefined) });

/** Builds each combination of sub-resources once. The maximum of four has fifteen combinations. */
function createVariants(base: Omit<RestOperation, 'withSubresources'>, schemaWithLists: () => GraphQLSchema): Include {
  const { route, document, subresources } = base;
  const { action, field, type } = route.operation;
  const variants = new Map<string, RestOperation>();
  const withSubresources: Include = (chosen) => {
    const inOrder = subresources.filter((one) => chosen.includes(one));
    const key = inOrder.map(({ name }) => name).join();
    let variant = variants.get(key);
    if (!variant) {
      const schema = schemaWithLists();
      const rows = action === 'list' ? 'nodes' : field;
      variant = { ...base, schema, document: withLists(document, rows, type, inOrder, schema), withSubresources };
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
