// Who may use relations in filters, sort keys, groups and measures.
import { accessError, permits } from '../../auth/access.ts';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import type { FilterRelation } from './filterable.ts';

/** @throws ServiceError INSUFFICIENT_SCOPE @param path the part of a filter or sort that crosses the relation */
export function assertMayCross({ scope }: FilterRelation, { caller }: Context, path: string): void {
  if (scope === undefined || permits(caller, scope)) return;
  const { code, reason } = accessError(caller, scope);
  throw new ServiceError(code, reason, undefined, path);
}
