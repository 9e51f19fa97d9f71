import { forbids, type RoleRule, roleRules } from '../src/auth/roles.ts';
import { scopeGroups } from '../src/auth/scopes.ts';
import { UserRole } from '../src/database/generated/client/client.ts';
import { plural, snakeCase, words } from '../src/names.ts';
import { type EnumName, enumFacts } from '../src/resource/index.ts';

/** What a rule leaves to a role, in words. */
function describeRight(rule: RoleRule, role: UserRole): string {
  if (rule.roles.includes(role)) return 'yes';
  if (forbids(rule)) return 'no';
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  const { own, ofDeactivated = [], readOnly = [], statuses = [], approved } = rule;
  const limits = [
    own && `their own (\`${snakeCase(own)}\`)`,
    ofDeactivated.includes(role) && 'and those of deactivated users',
    readOnly.length > 0 && `without ${code(readOnly.map(snakeCase))}`,
    approved &&
      `where ${code(approved.statuses.map((status) => statusWord(rule, status)))}: no deletion, without ${code(approved.fields.map(snakeCase))}`,
    statuses.length > 0 && `without the status ${code(statuses.map((status) => statusWord(rule, status)))}`,
  ];
  return limits.filter((limit) => limit !== undefined && limit !== false).join(', ');
}

const statusWord = ({ types: [type] }: RoleRule, status: string) =>
  // The rules about a status are about rows that have one, whose enum is named after them.
  enumFacts(`${String(type)}Status` as EnumName).mappedValues[status] ?? status;

/** The table of scope groups, as in docs/api/authentication.md. */
export function scopesAsMarkdown(): string {
  const rows = Object.entries(scopeGroups).map(([group, { description }]) => `| \`${group}\` | ${description} |`);
  return ['| scope group | covers |', '| --- | --- |', ...rows].join('\n');
}

/** The table of roles, as in docs/api/authentication.md. */
export function rolesAsMarkdown(): string {
  const roles = [UserRole.MEMBER, UserRole.EXECUTIVE, UserRole.ADMIN];
  const heading = ['resource', 'operations', ...roles.map((role) => `\`${role.toLowerCase()}\``)];
  const rows = roleRules.map((rule) => [
    rule.types.map((type) => words(type.endsWith('s') ? type : plural(type))).join(', '),
    rule.actions?.join(', ') ?? 'all writes',
    ...roles.map((role) => describeRight(rule, role)),
  ]);
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
