import type { ScopeGroup } from '../api/meta.ts';

/** The path of a REST request that a token with these scopes may send: a list, or the token itself if it reads none. */
export function examplePath(scopes: readonly string[], groups: readonly ScopeGroup[]): string {
  const readable = groups.find(
    ({ name, path }) => path && [`${name}:read`, '*:read', '*'].some((scope) => scopes.includes(scope)),
  );
  return readable?.path ? `${readable.path}?limit=3` : '/token';
}
