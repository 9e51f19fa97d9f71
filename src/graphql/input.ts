import {
  type ASTNode,
  type ASTVisitor,
  type DirectiveNode,
  type ExecutionArgs,
  type FieldNode,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isInputType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  type OperationDefinitionNode,
  OperationTypeNode,
  ProvidedRequiredArgumentsRule,
  typeFromAST,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
} from 'graphql';
import { badRequest, type ServiceError, validationError } from '../errors.ts';
import { ErrorCollector, type InputConventions, isObject, literalOf, messages, readInput } from '../input/index.ts';
import { maxFilterValues } from '../resource/index.ts';

/** GraphQL's ID is any string or integer; resolvers check that it is a uuid. */
const isId = (value: unknown) => typeof value === 'string' || Number.isInteger(value);

/** A value that a request gives, or undefined if it is missing. */
interface Given {
  /** The name of its argument or variable. */
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly value: unknown;
}

/** Checks the values of an operation as strictly as REST checks its input, with the same messages. */
export interface InputCheck {
  /**
   * Checks variables, before an operation runs.
   *
   * @returns all errors: one VALIDATION_ERROR for each input object of a mutation, one BAD_REQUEST for each other error
   */
  readonly checkVariables: (args: ExecutionArgs) => ServiceError[];
  /** Replaces the rules of graphql-js for values in the text of a query by those of this check. */
  readonly withLiterals: (rules: readonly ValidationRule[]) => ValidationRule[];
}

/** Creates the check of a schema's input. */
export function createInputCheck(schema: GraphQLSchema): InputCheck {
  const conventions: InputConventions = {
    nameOf: (field) => field,
    isId,
    wrapsSingleItems: true,
    shows: findShownFields(schema),
  };
  // Longer lists than the values of a filter are refused before they are read.
  const ofQueries: InputConventions = { ...conventions, maxItems: maxFilterValues };

  function check({ name, type, value }: Given, isMutation: boolean, errors: ErrorCollector): ServiceError[] {
    // Errors are reported by the fields of an object, where it is one.
    const hasFields = isInputObjectType(getNullableType(type)) && isObject(value);
    if (value !== undefined)
      readInput(type, value, isMutation ? conventions : ofQueries, errors, hasFields ? '' : name);
    else if (isNonNullType(type)) errors.add(name, messages.required);
    if (errors.isEmpty) return [];
    return isMutation && hasFields
      ? [validationError(errors.found)]
      : Object.entries(errors.found).map(([field, message]) => badRequest(message, field));
  }

  function checkVariables({ document, operationName, variableValues }: ExecutionArgs): ServiceError[] {
    const operation = getOperationAST(document, operationName);
    let errors = new ErrorCollector();
    return (operation?.variableDefinitions ?? []).flatMap(({ variable, type: node, defaultValue }) => {
      const name = variable.name.value;
      const type = typeFromAST(schema, node);
      const value = variableValues?.[name];
      // A type that is none of input, and a default, are what validation checks.
      if (!isInputType(type) || (value === undefined && defaultValue)) return [];
      errors = errors.another();
      return check({ name, type, value }, isMutation(operation), errors);
    });
  }

  function literalRule(context: ValidationContext): ASTVisitor {
    let errors = new ErrorCollector();
    let ofMutation = false;
    const report = (given: Given, nodes: ASTNode) => {
      errors = errors.another();
      for (const error of check(given, ofMutation, errors))
        context.reportError(new GraphQLError(error.message, { nodes, originalError: error }));
    };
    const reportMissing = (node: FieldNode | DirectiveNode, args: readonly GraphQLArgument[] = []) => {
      const given = new Set(node.arguments?.map(({ name }) => name.value));
      for (const arg of args)
        if (isRequiredArgument(arg) && !given.has(arg.name)) report({ ...arg, value: undefined }, node);
    };
    return {
      OperationDefinition: (operation) => {
        ofMutation = isMutation(operation);
      },
      FragmentDefinition: ({ typeCondition }) => {
        ofMutation = typeCondition.name.value === schema.getMutationType()?.name;
      },
      VariableDefinition(node) {
        const type = context.getInputType();
        if (node.defaultValue && type)
          report({ name: node.variable.name.value, type, value: literalOf(node.defaultValue) }, node.defaultValue);
      },
      Field: (node) => reportMissing(node, context.getFieldDef()?.args),
      Directive: (node) => reportMissing(node, context.getDirective()?.args),
      Argument({ name, value }) {
        const type = context.getArgument()?.type;
        if (type) report({ name: name.value, type, value: literalOf(value) }, value);
      },
    };
  }

  return {
    checkVariables,
    withLiterals: (rules) => [...rules.filter((rule) => !replacedRules.includes(rule)), literalRule],
  };
}

/** The rules of graphql-js for values in the text of a query. */
const replacedRules: readonly ValidationRule[] = [ValuesOfCorrectTypeRule, ProvidedRequiredArgumentsRule];

const isMutation = (operation?: OperationDefinitionNode | null): boolean =>
  operation?.operation === OperationTypeNode.MUTATION;

/** Finds which fields clients see of what each mutation's `input` creates or changes: those of the type it returns. */
function findShownFields(schema: GraphQLSchema): InputConventions['shows'] {
  const shown = new Map<string, ReadonlySet<string>>();
  for (const { args, type } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const input = args.find(({ name }) => name === 'input');
    const returned = getNamedType(type);
    if (input && isObjectType(returned))
      shown.set(getNamedType(input.type).name, new Set(Object.keys(returned.getFields())));
  }
  return ({ name: input }, field) => shown.get(input)?.has(field) ?? false;
}
