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
 * Maximum number of fields in a response: several times a page of 100 requests, each with its people and 20 comments,
 * and well below what would block the database.
 */
const costLimit = 200_000;

/** A field counts once for each row that can contain it. */
const fieldEstimator: ComplexityEstimator = (asked) => 1 + rowsOf(asked) * asked.childComplexity;

/** Maximum number of rows of a field: its `first`; or, for a list without one, such as line items, a page. */
function rowsOf({ type, args, field }: ComplexityEstimatorArgs): number {
  const first: unknown = args['first'] ?? field.args.find(({ name }) => name === 'first')?.defaultValue;
  // A larger `first` is rejected by the list itself.
  if (typeof first === 'number') return Math.min(Math.max(first, 0), maxGroups);
  const of = getNamedType(field.type);
  // A connection's rows are counted with the field that returns it. Introspection reads no rows.
  const hasRows =
    isListType(getNullableType(field.type)) &&
    isObjectType(of) &&
    !api.connectionTypes.has(type.name) &&
    !isIntrospectionType(of);
  return hasRows ? maxPageSize : 1;
}

/** Counts the fields that the response can have. @throws GraphQLError when that cannot be determined */
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

/**
 * Rejects a query whose response could be too large, before it reads anything, and reports the cost in `extensions`.
 */
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
