import type { Context } from '../../context.ts';
import type { Row } from '../definition/model.ts';
import type { ResourceAction } from '../definition/operation.ts';
import type { Resource } from '../definition/resource.ts';
import { rowExists } from '../read/query.ts';
import { decide, findRefusal, type Guarded, policyActions } from './decide.ts';

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
    if (await isAllowed({ type, action, policies, access: `${scope}:${verb}` }, row, context)) allowed.push(action);
  }
  return allowed;
}

/** Whether a caller may do something with a row, or change it so. */
async function isAllowed(guarded: Guarded, row: Row | null, context: Context, changes: Row = {}): Promise<boolean> {
  if (findRefusal(context.caller, guarded)) return false;
  const { refusal } = await decide(context, guarded, { previous: row, data: changes, changes });
  return refusal === undefined;
}

/** The root fields that a caller may run on a row, of those that there are for its type. */
export async function allowedOperations(
  operations: readonly (Guarded & { readonly field: string })[],
  row: Row,
  context: Context,
): Promise<string[]> {
  const allowed = operations.map(async (each) => ((await isAllowed(each, row, context)) ? [each.field] : []));
  return (await Promise.all(allowed)).flat();
}

/** The statuses that a caller may give a row now: those that follow its own. */
export async function allowedStatuses(
  { type, policies, scope, fields }: Pick<Resource, 'type' | 'policies' | 'scope' | 'fields'>,
  row: Row,
  context: Context,
): Promise<string[]> {
  const { status = '' } = policies;
  const next = fields[status]?.transitions?.[String(row[status])] ?? [];
  const guarded = { type, policies, action: 'update', access: `${scope}:write` } as const;
  const allowed = next.map(async (to) => ((await isAllowed(guarded, row, context, { [status]: to })) ? [to] : []));
  return (await Promise.all(allowed)).flat();
}

/** What policies ask of a row to know what may be done with it, as Prisma's `select`. */
export function selectionOfPolicies({ policies, stored }: Pick<Resource, 'policies' | 'stored'>): Row {
  const asked = [...policies.of.update, ...policies.of.delete];
  const columns = [...asked.flatMap((policy) => policy.columns), ...(policies.status ? [policies.status] : [])];
  const known = columns.filter((name) => name in stored);
  const selected: [string, true | object][] = ['id', ...known].map((name) => [name, true]);
  for (const { reads = {} } of asked) selected.push(...Object.entries(reads));
  return Object.fromEntries(selected);
}
