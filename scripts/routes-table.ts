import type { Access } from '../src/auth/access.ts';
import { fileRoute } from '../src/rest/files.ts';
import { routesOf } from '../src/rest/routes.ts';
import { api } from '../src/schema/index.ts';

const heading = ['method', 'path', 'scope', 'operation'];

/** The access levels that are not scopes, in words. */
const needs: Partial<Record<Access, string>> = {
  session: 'a session',
  management: 'a session of an admin or executive',
  token: 'any',
  caller: 'any',
  public: 'nothing',
};

const rows = [...routesOf(api), ...api.files.map(fileRoute)].map(
  ({ method, path, operation: { access, field, orWrites } }) => [
    String(method),
    path,
    needs[access] ?? access,
    [field, orWrites?.field ?? []].flat().join(', '),
  ],
);

/**
 * Every REST route with the access it requires and its GraphQL root field, in columns as wide as their longest cell.
 */
export function routesAsText(): string {
  const lines = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The content of docs/routes.md. */
export const routesAsMarkdown = (): string => `# Routes

Every route of REST, below \`/api/v1\` and \`/v1\`: the scope that a token needs for it, and the root field of GraphQL that
answers it. Those at the end receive, send or attach files, and GraphQL does not have them. OPTIONS works on all of them, and HEAD wherever GET does. [The API reference](api/README.md) says how they behave.

${[
  heading,
  heading.map(() => '---'),
  ...rows.map(([method = '', ...cells]) => [
    method,
    ...cells.map((cell) => (Object.values(needs).includes(cell) ? cell : `\`${cell}\``)),
  ]),
]
  .map((cells) => `| ${cells.join(' | ')} |`)
  .join('\n')}
`;
