import { isScopeGroup, scopeGroups } from '../../auth/scopes.ts';
import type { Route } from '../routes.ts';
import type { Tag } from './types.ts';

/**
 * The tag of an operation: the one it declares, or that of its scope group.
 * @throws Error when it has neither
 */
export function tagOf({ field, access, tag }: Route['operation']): Tag {
  const [group = ''] = access.split(':');
  const found = tag ?? (isScopeGroup(group) ? scopeGroups[group] : undefined);
  if (!found) throw new Error(`${field} requires no scope, so it must declare a tag.`);
  const { name, description } = found;
  return { name, description };
}
