import { type ExecutionArgs, type FieldNode, getOperationAST, Kind } from 'graphql';
import { accessError, permits } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { ServiceError } from '../errors.ts';
import { api } from '../schema/index.ts';

const accessOf = new Map(api.operations.map(({ field, access }) => [field, access]));

/** Finds the root fields of an operation that its caller may not use; those in fragments are left to execution. */
export function findRefusals({ document, operationName, contextValue }: ExecutionArgs): ServiceError[] {
  const { caller } = contextValue as Context;
  const selections = getOperationAST(document, operationName)?.selectionSet.selections ?? [];
  return selections
    .filter((selection): selection is FieldNode => selection.kind === Kind.FIELD)
    .flatMap(({ name }) => {
      const access = accessOf.get(name.value);
      return access && !permits(caller, access) ? [accessError(caller, access)] : [];
    });
}
