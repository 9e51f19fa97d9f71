// Fields that name a user for something that is still to be done take no user who is deactivated.
import type { Context } from '../../context.ts';
import { ActiveUser } from '../../database/index.ts';
import { isUserReference } from '../../database/stored-field.ts';
import type { Row } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';

/** What of a resource says which users its columns may name. */
type Columns = Pick<Resource, 'stored' | 'fields'>;

/** Whether a column refers to a user who must be active when it is set. */
export const mustBeActive = ({ stored, fields }: Columns, column: string): boolean =>
  isUserReference(stored[column]) && !fields[column]?.mayBeDeactivated;

/**
 * Lets the statement that stores the columns check that the users they name are active, without a statement more. The
 * caller is active.
 */
export function requireActiveUsers(resource: Columns, data: Row, { caller }: Context): Row {
  const checked = Object.entries(data).flatMap<[string, ActiveUser]>(([column, id]) =>
    typeof id === 'string' && id !== caller.userId && mustBeActive(resource, column)
      ? [[column, new ActiveUser(caller.companyId, id)]]
      : [],
  );
  if (checked.length === 0) return data;
  return { ...data, ...Object.fromEntries<unknown>(checked) };
}
