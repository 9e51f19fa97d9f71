import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind, OperationTypeNode, parse } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { Caller } from '../auth/caller.ts';
import type { ServiceError } from '../errors.ts';
import { findRefusal, type Guarded } from '../resource/index.ts';
import { fragmentsOf, selectedFields } from './database-costs.ts';

/**
 * Finds the root fields of a request that its caller may not use, by scope or role. A caller without access gets these
 * errors rather than those of the input.
 *
 * @returns no errors for a query that cannot be parsed
 */
export function findRefusals(
  schema: GraphQLSchema,
  { query, operationName }: GraphQLParams,
  caller: Caller,
): ServiceError[] {
  const document = tryToParse(query ?? '');
  const operation = document && getOperationAST(document, operationName);
  const fields = operation && schema.getRootType(operation.operation)?.getFields();
  if (!fields) return [];
  const selected = selectedFields(operation, fragmentsOf(document));
  const names = new Set([...selected].map(({ name }) => name.value));
  return [...names].flatMap((name) => {
    const guarded = fields[name]?.extensions;
    // The kit writes these extensions together.
    return (guarded?.access && findRefusal(caller, guarded as Guarded)) || [];
  });
}

/** Maximum number of tokens of a query. */
export const maxTokens = 2000;

function tryToParse(query: string): DocumentNode | undefined {
  try {
    return parse(query, { maxTokens, noLocation: true });
  } catch {
    return undefined;
  }
}

/** The fields that describe the API, beside introspection. */
const descriptions = ['meta', 'resources', 'actions'];

/** Whether a document's operation reads only what the API says about itself: nothing that anybody has written. */
export const isAboutApi = (document: DocumentNode, operationName?: string | null): boolean =>
  getOperationAST(document, operationName)?.selectionSet.selections.every(
    (selection) =>
      selection.kind === Kind.FIELD &&
      (selection.name.value.startsWith('__') || descriptions.includes(selection.name.value)),
  ) ?? false;

/** Whether a request is a mutation; one that cannot be parsed is not. */
export function isMutation({ query, operationName }: GraphQLParams): boolean {
  const document = tryToParse(query ?? '');
  return (document && getOperationAST(document, operationName)?.operation) === OperationTypeNode.MUTATION;
}
