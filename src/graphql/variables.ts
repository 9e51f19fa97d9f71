import {
  coerceInputValue,
  type ExecutionArgs,
  type GraphQLError,
  getOperationAST,
  isInputType,
  OperationTypeNode,
  typeFromAST,
} from 'graphql';
import { badRequest, type FieldErrors, type ServiceError, validationError } from '../errors.ts';
import { InvalidValue } from '../resource/scalars.ts';

/** graphql's words for a field that an input does not have, or lacks; the path it gives stops at the input. */
const namedField = /^Field "(\w+)" (?:is not defined|of required type)/;

/**
 * Finds what is wrong with an operation's variables, all of it at once and by field, as REST does (spec §7).
 * @returns one error a variable: VALIDATION_ERROR for a mutation's, BAD_REQUEST for a query's
 */
export function variableFaults({ schema, document, operationName, variableValues }: ExecutionArgs): ServiceError[] {
  const operation = getOperationAST(document, operationName);
  return (operation?.variableDefinitions ?? []).flatMap(({ variable, type: node }) => {
    const name = variable.name.value;
    const type = typeFromAST(schema, node);
    const value = variableValues?.[name];
    if (!isInputType(type) || value === undefined || value === null) return [];
    const faults: FieldErrors = {};
    coerceInputValue(value, type, (path, _value, error) => {
      const [, field] = namedField.exec(error.message) ?? [];
      faults[[...path, ...(field ? [field] : [])].join('.') || name] = reasonOf(error);
    });
    const found = Object.entries(faults);
    if (found.length === 0) return [];
    return operation?.operation === OperationTypeNode.MUTATION
      ? [validationError(faults)]
      : found.map(([field, reason]) => badRequest(reason, field));
  });
}

function reasonOf({ message, originalError }: GraphQLError): string {
  if (originalError instanceof InvalidValue) return originalError.message;
  return /of required type/.test(message) ? 'is required' : message;
}
