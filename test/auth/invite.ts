import type { Client, Row } from '../support/client.ts';

/** Invites a user. @returns the invitation, and the path of its link, which contains its token */
export const invite = (browser: Client, input: Row) =>
  browser.graphql<{ inviteUser: { path: string; invitation: Row } | null }>(
    `mutation ($input: InviteUserInput!) { inviteUser(input: $input) { path invitation { id email fullName role expiresAt } } }`,
    { input },
  );
