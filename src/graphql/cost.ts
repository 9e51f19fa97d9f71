import {
  type ExecutionArgs,
  GraphQLError,
  getNamedType,
  getNullableType,
  getOperationAST,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
} from 'graphql';
import { type ComplexityEstimator, type ComplexityEstimatorArgs, getComplexity } from 'graphql-query-complexity';
import type { Plugin } from 'graphql-yoga';
import { badRequest } from '../errors.ts';
import { maxGroups, maxPageSize } from '../resource/index.ts';
import { api } from '../schema/index.ts';

/**
 * The most fields that an answer may have: several times a page of 100 requests, each with its people and 20 comments,
 * and well below what would keep the database from other work.
 */
const costLimit = 200_000;

/** A field counts once for each row that it can be in. */
const fieldEstimator: ComplexityEstimator = (asked) => 1 + rowsOf(asked) * asked.childComplexity;

/** How many rows a field can have: as many as its `first` says; without one, as lines are, as many as a page, which few orders exceed. */
function rowsOf({ type, args, field }: ComplexityEstimatorArgs): number {
  const first: unknown = args['first'] ?? field.args.find(({ name }) => name === 'first')?.defaultValue;
  // Of more rows than any list has, the list itself says that they are too many.
  if (typeof first === 'number') return Math.min(Math.max(first, 0), maxGroups);
  const of = getNamedType(field.type);
  // The rows of a connection are counted with the field that leads to it. What the schema says of itself reads nothing.
  const hasRows =
    isListType(getNullableType(field.type)) &&
    isObjectType(of) &&
    !api.connectionTypes.has(type.name) &&
    !isIntrospectionType(of);
  return hasRows ? maxPageSize : 1;
}

/** How many fields the answer can have. @throws GraphQLError when that cannot be told */
function countFields({ schema, document, operationName, variableValues }: ExecutionArgs): number {
  const operation = getOperationAST(document, operationName);
  if (!operation) return 0;
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  return getComplexity({
    schema,
    query: { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] },
    variables: { ...variableValues },
    estimators: [fieldEstimator],
  });
}

/** Refuses a query whose answer could be too large, before anything is read for it, and tells in `extensions` what was counted. */
export const costPlugin: Plugin = {
  onExecute({ args, setResultAndStopExecution }) {
    try {
      const cost = { counted: countFields(args), limit: costLimit };
      if (cost.counted > costLimit) {
        const tooLarge = badRequest(
          `The answer could have ${cost.counted} fields, and ${costLimit} is the most. Ask for fewer rows with first, or for fewer fields.`,
        );
        setResultAndStopExecution({ errors: [tooLarge], extensions: { cost } });
      }
      return {
        onExecuteDone({ result, setResult }) {
          if ('data' in result) setResult({ ...result, extensions: { ...result.extensions, cost } });
        },
      };
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return setResultAndStopExecution({ errors: [error] });
    }
  },
};
