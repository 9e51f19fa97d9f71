import type { Context } from '../../context.ts';
import type { Row } from '../definition/model.ts';
import type { ResourceAction } from '../definition/operation.ts';
import type { Resource } from '../definition/resource.ts';
import { rowExists } from '../read/query.ts';
import { decide, findRefusal, policyActions } from './decide.ts';

/**
 * The actions that a caller may take on a row, by their scopes and by policies, for its buttons. Another rule can still
 * prevent one, such as that others refer to the row. Whether they may change a row in a certain way, such as to another
 * status, `decide` answers with the changes.
 *
 * @param row the row with all its columns; null for what takes none: to list rows, and to create one
 */
export async function allowedActions(
  resource: Pick<Resource, 'model' | 'type' | 'scope' | 'policies' | 'actions' | 'accessFilter'>,
  row: Row | null,
  context: Context,
): Promise<ResourceAction[]> {
  const { type, scope, policies, accessFilter } = resource;
  if (row && accessFilter && !(await rowExists(resource, String(row['id']), context))) return [];
  const allowed: ResourceAction[] = [];
  for (const action of resource.actions) {
    if ((action === 'list' || action === 'create') !== (row === null)) continue;
    const verb = policyActions[action] === 'read' ? 'read' : 'write';
    const asked = { type, action, policies };
    if (findRefusal(context.caller, { ...asked, access: `${scope}:${verb}` })) continue;
    const { refusal } = await decide(context, asked, { previous: row, data: {}, changes: {} });
    if (refusal === undefined) allowed.push(action);
  }
  return allowed;
}
