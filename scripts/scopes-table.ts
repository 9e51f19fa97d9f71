import { scopeGroups } from '../src/auth/scopes.ts';

/** The table of scope groups, as in docs/api/authentication.md. */
export function scopesAsMarkdown(): string {
  const rows = Object.entries(scopeGroups).map(([group, { description }]) => `| \`${group}\` | ${description} |`);
  return ['| scope group | covers |', '| --- | --- |', ...rows].join('\n');
}
