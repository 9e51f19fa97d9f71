import { type ExecutionArgs, type FieldNode, getOperationAST, Kind, type SelectionNode } from 'graphql';
import { accessError, permits } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { ServiceError } from '../errors.ts';
import { api } from '../schema/index.ts';

const accessOf = new Map(api.operations.map(({ field, access }) => [field, access]));

/**
 * Finds the root fields of an operation that its caller may not use; those in fragments are checked during execution.
 */
export function findRefusals(args: ExecutionArgs): ServiceError[] {
  const { caller } = args.contextValue as Context;
  return selectionsOf(args)
    .filter((selection): selection is FieldNode => selection.kind === Kind.FIELD)
    .flatMap(({ name }) => {
      const access = accessOf.get(name.value);
      return access && !permits(caller, access) ? [accessError(caller, access)] : [];
    });
}

/** Whether an operation reads the schema only. */
export const isIntrospection = (args: ExecutionArgs): boolean =>
  selectionsOf(args).every((selection) => selection.kind === Kind.FIELD && selection.name.value.startsWith('__'));

const selectionsOf = ({ document, operationName }: ExecutionArgs): readonly SelectionNode[] =>
  getOperationAST(document, operationName)?.selectionSet.selections ?? [];
