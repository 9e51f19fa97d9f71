import { type GraphQLError, Kind, OperationTypeNode, parse } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { Context } from '../context.ts';
import { badRequest, publicError, type ServiceError } from '../errors.ts';
import { createBudget } from '../http/size.ts';
import type { Table } from '../http/table.ts';
import type { Api } from '../resource/index.ts';
import { Operation } from '../tracing/index.ts';
import type { Incoming } from './cost.ts';
import { toGraphqlError } from './errors.ts';
import { createRunner } from './execution.ts';
import { graphqlSchemaOf } from './schema.ts';
import { readTable } from './table.ts';

/** The most bytes that a page of a table may have in JSON. */
const maxPageBytes = 10_000_000;

/** What runs a query without a request. */
interface Reading extends Incoming {
  readonly method: 'GET';
  readonly context: Context;
}

/** Runs a query as a table for whoever a context is of, within the limits that requests have. */
export type ReadAs = (
  query: Pick<GraphQLParams, 'query' | 'variables'>,
  contextOf: () => Promise<Context>,
) => Promise<Table>;

/**
 * Creates what reads tables without a request.
 *
 * @returns it takes a query, and what makes the context of each page; it throws a ServiceError, of a later page from
 *   the table
 */
export function createTableReader(api: Api): ReadAs {
  const schema = graphqlSchemaOf(api);
  const run = createRunner(schema, api, ({ context }: Reading) => context);
  return async (query, contextOf) => {
    const runPage = async (params: GraphQLParams) => {
      const context = await contextOf();
      return run(params, {
        ...{ method: 'GET', context, caller: context.caller, operation: new Operation(), query: {} },
        ...{ budget: createBudget(maxPageBytes), server: { maxResponseBytes: maxPageBytes } },
      });
    };
    const table = await readTable(schema, runPage, { ...query, operationName: nameOfQuery(query.query ?? '') });
    if ('columns' in table) return table;
    throw failureOf(table.errors?.[0]);
  };
}

/** The name of the first query of a document, which may have several. */
function nameOfQuery(text: string): string | undefined {
  try {
    const { definitions } = parse(text, { noLocation: true });
    const found = definitions.find(
      (each) => each.kind === Kind.OPERATION_DEFINITION && each.operation === OperationTypeNode.QUERY,
    );
    return found?.kind === Kind.OPERATION_DEFINITION ? found.name?.value : undefined;
  } catch {
    // Running it reports why.
    return undefined;
  }
}

function failureOf(error: GraphQLError | undefined): ServiceError {
  if (!error) return badRequest('The query has no result.');
  const { message, extensions } = toGraphqlError(error);
  return extensions['code'] === 'BAD_REQUEST' ? badRequest(message) : publicError(error);
}
