import { getNamedType, isEnumType, isObjectType } from 'graphql';
import { roleWord } from '../src/auth/roles.ts';
import { UserRole } from '../src/database/generated/client/client.ts';
import { snakeCase } from '../src/names.ts';
import { decide, type Policies, type PolicyAction, policyActions, type Spelling } from '../src/resource/index.ts';
import { api } from '../src/schema/index.ts';

const { schema } = api;

const roles = [UserRole.MEMBER, UserRole.EXECUTIVE, UserRole.ADMIN];

/** What operations do that policies limit, by the type of their rows. */
interface Limited {
  readonly policies: Policies;
  readonly actions: Set<PolicyAction>;
}

/** The types whose operations policies limit, in the order of the schema. */
function limitedTypes(): Map<string, Limited> {
  const found = new Map<string, Limited>();
  const fields = [schema.getMutationType(), schema.getQueryType()].flatMap((root) =>
    Object.values(root?.getFields() ?? {}),
  );
  for (const { extensions } of fields) {
    const { type, action, policies } = extensions;
    if (!type || !action || !policies?.of[policyActions[action]].length) continue;
    const { actions } = found.get(type) ?? { actions: new Set<PolicyAction>() };
    found.set(type, { policies, actions: actions.add(policyActions[action]) });
  }
  return found;
}

/** Spells names as REST does. */
function spellingOf(type: string): Spelling {
  const rows = schema.getType(type);
  const status = isObjectType(rows) ? getNamedType(rows.getFields()['status']?.type) : undefined;
  const values = isEnumType(status) ? status.getValues() : [];
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  return {
    fields: (names) => code(names.map(snakeCase)),
    statuses: (members) =>
      code(members.map((member) => values.find(({ name }) => name === member)?.extensions.restValue ?? member)),
  };
}

/** What policies leave to a role, in words. */
function describeRight(
  { policies, type, action }: { policies: Policies; type: string; action: PolicyAction },
  role: UserRole,
) {
  const { limits, refusal } = decide({ caller: { role, userId: '' } }, { policies, type, action });
  if (refusal !== undefined) return 'no';
  const parts = limits.map((policy) => policy.summarize(action, role, spellingOf(type)));
  return parts.filter((part) => part !== undefined).join('; ') || 'yes';
}

const limited = limitedTypes();

/** Of a resource that nothing else limits: all share a line. */
const isRestoreAlone = ({ policies, actions }: Limited) =>
  [...actions].every((action) => action === 'restore') && policies.of.restore.length === 1;

const rows = [...limited]
  .filter(([, each]) => !isRestoreAlone(each))
  .flatMap(([type, { policies, actions }]) => {
    const lines = (['read', 'create', 'update', 'delete', 'restore'] as const)
      .filter((action) => actions.has(action))
      .map((action) => ({
        actions: [action],
        rights: roles.map((role) => describeRight({ policies, type, action }, role)),
      }));
    // Actions with the same rights share a line.
    const shared = new Map<string, (typeof lines)[number]>();
    for (const line of lines) {
      const same = shared.get(line.rights.join('|'));
      if (same) same.actions.push(...line.actions);
      else shared.set(line.rights.join('|'), line);
    }
    return [...shared.values()].map((line) => [policies.words.many, line.actions.join(', '), ...line.rights]);
  });

const [another] = [...limited].filter(([, each]) => isRestoreAlone(each));
if (another) {
  const [type, { policies }] = another;
  const rights = roles.map((role) => describeRight({ policies, type, action: 'restore' }, role));
  rows.push(['all others that can be deleted', 'restore', ...rights]);
}

const heading = ['resource', 'action', ...roles.map((role) => `\`${roleWord(role)}\``)];

/** The content of docs/roles.md. */
export const rolesAsMarkdown = (): string => `# Roles

What the role of a user limits, of every resource that policies limit; of all others, scopes alone decide. It is made from
the \`access\` of their definitions. [The API reference](api/authentication.md#roles) says what a refused request gets.

${[heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}
`;
