import {
  DirectiveLocation,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLError,
  GraphQLNonNull,
  getDirectiveValues,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { isScope } from '../auth/access.ts';
import { type Context, inTransactionIf } from '../context.ts';
import { badRequest } from '../errors.ts';
import type { Api } from '../resource/index.ts';
import { findOwnChanges } from '../schema/changes/own-changes.ts';
import { fragmentsOf, selectedFields } from './database-costs.ts';
import { failedResult } from './result.ts';

/** Makes the mutations of a document one transaction. */
export const AtomicDirective = new GraphQLDirective({
  name: 'atomic',
  description:
    'Run the mutations of this document as one transaction: an error of any field takes back all of it. They must be writes of rows, which a scope permits.',
  locations: [DirectiveLocation.MUTATION],
  args: {
    dryRun: {
      type: new GraphQLNonNull(GraphQLBoolean),
      defaultValue: false,
      description:
        'Whether to take back all of it in any case. The response is what it would be, and `extensions.changes` are the changes that it would make.',
    },
  },
});

/** How the directive of an operation is executed; undefined for an operation without it. */
export interface Atomic {
  readonly dryRun: boolean;
}

/** Reads the directive of an operation, whose document is valid. */
export function atomicOf(
  { schema, variableValues }: ExecutionArgs,
  operation: OperationDefinitionNode | null | undefined,
): Atomic | undefined {
  if (!operation?.directives?.some(({ name }) => name.value === AtomicDirective.name)) return undefined;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], { ...variableValues });
  return { dryRun: getDirectiveValues(AtomicDirective, operation, coerced)?.['dryRun'] === true };
}

/** Executes an operation in one transaction, which is rolled back if a field has an error, or for a dry run. */
export async function executeAtomically(
  run: (args: ExecutionArgs) => ExecutionResult | PromiseLike<ExecutionResult>,
  args: ExecutionArgs,
  operation: OperationDefinitionNode,
  { dryRun }: Atomic,
  { resources }: Pick<Api, 'resources'>,
): Promise<ExecutionResult> {
  const refused = findOthers(args, operation);
  if (refused.length > 0) return { errors: refused };
  // This service creates every context.
  const context = args.contextValue as Context;
  try {
    return await inTransactionIf(
      context,
      ({ errors }) => !errors && !dryRun,
      async () => {
        const result = await run(args);
        if (result.errors) return { data: null, errors: result.errors };
        return dryRun ? { ...result, extensions: { ...(await findOwnChanges(context, resources)) } } : result;
      },
    );
  } catch (error) {
    return failedResult(error); // Of the commit: resolvers report their own.
  }
}

/** The errors of mutations that a transaction cannot take back, such as those that send email. */
function findOthers({ schema, document }: ExecutionArgs, operation: OperationDefinitionNode): GraphQLError[] {
  const fields = schema.getMutationType()?.getFields() ?? {};
  return [...selectedFields(operation, fragmentsOf(document))].flatMap((node) => {
    const name = node.name.value;
    const access = fields[name]?.extensions.access;
    if (access === undefined || isScope(access)) return [];
    const originalError = badRequest(`${name} cannot be part of an atomic document, as it is not a write of rows.`);
    return [new GraphQLError(originalError.message, { nodes: node, originalError })];
  });
}
