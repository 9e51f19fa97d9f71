import { expect } from '@jest/globals';
import { memberClient } from '../resources/members.ts';
import type { Client, Reply, Row } from '../support/client.ts';
import type { Service, Tenant } from '../support/service.ts';

/** Tokens of full scope. */
export type RoleCallers = Readonly<Record<'admin' | 'executive' | 'member', Client>>;
export type RoleIds = Readonly<Record<'admin' | 'executive' | 'member', string>>;

/** A caller of each role, and their ids. */
export async function callersOf(service: Service, tenant: Tenant): Promise<{ callers: RoleCallers; userIds: RoleIds }> {
  const [admin = '', executive = '', member = ''] = tenant.users.map(({ id }) => id);
  return {
    callers: {
      admin: await tenant.client(),
      executive: await memberClient(service, tenant, 1),
      member: await memberClient(service, tenant, 2),
    },
    userIds: { admin, executive, member },
  };
}

/** What errors say that are due to a role. */
export const roleText = (role: string) => expect.stringMatching(new RegExp(`\\brole\\b.*\\b${role}\\b`));

/** An error in REST that is due to a role. */
export const roleError = (role: string) => ({ code: 'INSUFFICIENT_SCOPE', message: roleText(role) });

/** The id of a row that was just created. @throws when it was not */
export const idOf = ({ status, row, text }: Reply): string => {
  if (status !== 201) throw new Error(`not created: ${status} ${text}`);
  return String(row['id']);
};

/** Sends a change by REST and by GraphQL. @returns the error codes, or `allowed` */
export async function change(client: Client, path: string, type: string, id: string, input: Row): Promise<string[]> {
  const reply = await client.patch(`${path}/${id}`, input);
  const camel = Object.entries(input).map(([name, value]) => [
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    name === 'status' ? String(value).toUpperCase() : value,
  ]);
  const { errors } = await client.graphql(
    `mutation ($id: ID!, $input: Update${type}Input!) { update${type}(id: $id, input: $input) { id } }`,
    { id, input: Object.fromEntries(camel) },
  );
  return [reply.status < 300 ? 'allowed' : reply.error.code, errors[0]?.extensions.code ?? 'allowed'];
}

/** The same outcome by REST and by GraphQL. */
export const both = (outcome: string) => [outcome, outcome];
