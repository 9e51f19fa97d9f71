import { Request, Response } from '@whatwg-node/fetch';
import { type DocumentNode, type ExecutionResult, execute, GraphQLObjectType, GraphQLSchema, visit } from 'graphql';
import { useSofa } from 'sofa-api';
import type { Context } from '../context.ts';
import type { Route } from './routes.ts';

/** One request on its way through sofa: what our reader made of it, and the envelope its result goes into. */
export interface Exchange {
  readonly context: Context;
  /** The operation's variables, in place of those sofa would read from the request. */
  readonly variables: Record<string, unknown>;
  readonly envelope: (result: unknown) => unknown;
  /** What is asked in the place of what sofa generated. */
  readonly variant?: Variant;
  /** What went wrong: sofa's own error handler is not told whose error it has. */
  errors?: ExecutionResult['errors'];
}

/** Another form of an operation, made of the one that sofa generated. */
export interface Variant {
  readonly document: (generated: DocumentNode) => DocumentNode;
  /** The schema that has all that it asks for, if sofa's has not. */
  readonly schema?: GraphQLSchema;
}

/** A variant that is made once of each operation. */
export function variantOf(document: Variant['document'], schema?: GraphQLSchema): Variant {
  const made = new WeakMap<DocumentNode, DocumentNode>();
  const once = (generated: DocumentNode) => {
    const changed = made.get(generated) ?? document(generated);
    made.set(generated, changed);
    return changed;
  };
  return { document: once, schema };
}

/** A list without the count of its rows, where nobody wants to know it. */
export const uncounted = variantOf((document) =>
  visit(document, { Field: ({ name }) => (name.value === 'totalCount' ? null : undefined) }),
);

/** Runs a route's operation. @returns the body. @throws the first error of its execution */
export type Run = (exchange: Exchange) => Promise<string>;

/**
 * Lets sofa generate the operation of every route, and gives back how to run each.
 *
 * Sofa reads a request leniently and knows no envelope, so `execute`, its documented seam, swaps in what our reader
 * made and wraps the result. Its router tries patterns one after another, so there is one sofa a family; nothing
 * but the routes given here reaches it.
 */
export function generateOperations(schema: GraphQLSchema, basePath: string, routes: readonly Route[]): Map<Route, Run> {
  const families = new Set(routes.map(familyOf));
  return new Map(
    [...families].flatMap((name) => {
      const family = routes.filter((route) => familyOf(route) === name);
      const sofa = useSofa({
        basePath,
        schema: rootsOnly(schema, family),
        routes: Object.fromEntries(
          family.map(({ method, status, operation: { kind, field, path } }) => [
            `${kind}.${field}`,
            // A 204 has no body, and sofa would give it one.
            { method: method as 'GET', path, responseStatus: status === 204 ? 200 : (status as 200) },
          ]),
        ),
        context: (context: unknown) => context,
        execute: executeExchange,
        errorHandler: (errors) => Response.json(errors.map(String), { status: 500 }) as never,
      });
      return family.map((route): [Route, Run] => [
        route,
        async (exchange) => {
          // Sofa is to know the route by its path; what the variables in it stand for comes with the exchange.
          const path = route.operation.path.replace(/:\w+/g, '_');
          const request = new Request(`http://localhost${basePath}${path}`, { method: route.method });
          const response = await sofa.fetch(request, { exchange });
          if (exchange.errors?.[0]) throw exchange.errors[0];
          if (!response.ok)
            throw new Error(`sofa refused ${route.method.toString()} ${path}: ${await response.text()}`);
          return response.text();
        },
      ]);
    }),
  );
}

const familyOf = ({ operation }: Route) => operation.access.split(':')[0];

/** Executes sofa's operation with our variables, and puts the result into its envelope. */
async function executeExchange({
  schema,
  document,
  contextValue,
  operationName,
}: Parameters<typeof execute>[0]): Promise<ExecutionResult> {
  const { exchange } = contextValue as { exchange: Exchange };
  const { context, variables, envelope, variant } = exchange;
  const asked = { schema: variant?.schema ?? schema, document: variant?.document(document) ?? document };
  const { data, errors } = await execute({ ...asked, operationName, contextValue: context, variableValues: variables });
  exchange.errors = errors;
  if (errors || !data) return { errors };
  return { data: Object.fromEntries(Object.entries(data).map(([field, result]) => [field, envelope(result)])) };
}

/** The same schema with no root fields but those of the given routes: sofa makes a route of every one it finds. */
function rootsOnly(schema: GraphQLSchema, routes: readonly Route[]): GraphQLSchema {
  const root = (kind: 'Query' | 'Mutation') => {
    const all = (kind === 'Query' ? schema.getQueryType() : schema.getMutationType())?.toConfig().fields ?? {};
    const names = routes.filter(({ operation }) => operation.kind === kind).map(({ operation }) => operation.field);
    const fields = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
    return names.length > 0 ? new GraphQLObjectType({ name: kind, fields }) : undefined;
  };
  return new GraphQLSchema({ query: root('Query'), mutation: root('Mutation') });
}
