import {
  type ExecutionArgs,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isInputType,
  isObjectType,
  OperationTypeNode,
  typeFromAST,
} from 'graphql';
import { badRequest, type ServiceError, validationError } from '../errors.ts';
import { ErrorCollector, type Idiom, readInput } from '../input/index.ts';
import { maxFilterValues } from '../resource/index.ts';

/** GraphQL's ID is any string or integer; resolvers check that it is a uuid. */
const isId = (value: unknown) => typeof value === 'string' || Number.isInteger(value);

/**
 * Creates a function that checks an operation's variables before it runs, as strictly as REST checks its input.
 *
 * @returns a function that returns all errors: one VALIDATION_ERROR for each variable of a mutation, one BAD_REQUEST
 *   for each error of a query
 */
export function createVariableCheck(schema: GraphQLSchema): (args: ExecutionArgs) => ServiceError[] {
  const idiom: Idiom = { nameOf: (field) => field, isId, wrapsSingleItems: true, shows: findShownFields(schema) };
  // Longer lists than the values of a filter are refused before they are read.
  const ofQueries: Idiom = { ...idiom, maxItems: maxFilterValues };

  return ({ document, operationName, variableValues }) => {
    const operation = getOperationAST(document, operationName);
    const isMutation = operation?.operation === OperationTypeNode.MUTATION;
    let errors = new ErrorCollector();
    return (operation?.variableDefinitions ?? []).flatMap(({ variable, type: node }): ServiceError[] => {
      const name = variable.name.value;
      const type = typeFromAST(schema, node);
      const value = variableValues?.[name];
      // graphql-js rejects a missing variable.
      if (!isInputType(type) || value === undefined || value === null) return [];
      errors = errors.another();
      readInput(type, value, isMutation ? idiom : ofQueries, errors, isObjectInput(type) ? '' : name);
      if (errors.isEmpty) return [];
      return isMutation
        ? [validationError(errors.found)]
        : Object.entries(errors.found).map(([field, message]) => badRequest(message, field));
    });
  };
}

/** Whether errors are reported by field. */
const isObjectInput = (type: GraphQLInputType) => isInputObjectType(getNullableType(type));

/** Finds which fields clients see of what each mutation's `input` creates or changes: those of the type it returns. */
function findShownFields(schema: GraphQLSchema): Idiom['shows'] {
  const shown = new Map<string, ReadonlySet<string>>();
  for (const { args, type } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const input = args.find(({ name }) => name === 'input');
    const returned = getNamedType(type);
    if (input && isObjectType(returned))
      shown.set(getNamedType(input.type).name, new Set(Object.keys(returned.getFields())));
  }
  return ({ name: input }, field) => shown.get(input)?.has(field) ?? false;
}
