import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Browser, password, signInAll } from '../support/browser.ts';
import { type Client, errorCodes, type Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { invite } from './invite.ts';

let service: Service;
let admin: Browser;
let otherAdmin: Browser;
beforeAll(async () => {
  service = await startService();
  ({ admin } = await signInAll(service, await service.tenant('acme')));
  ({ admin: otherAdmin } = await signInAll(service, await service.tenant('other')));
});
afterAll(() => service.close());

describe('an invitation', () => {
  test('makes its holder a user with a password, once', async () => {
    const input = { email: ' Dora@Acme.example', fullName: 'Dora Diaz', role: 'EXECUTIVE' };
    const { data } = await invite(admin, input);
    expect(data.inviteUser?.invitation).toMatchObject({ email: 'dora@acme.example', role: 'EXECUTIVE' });
    const [path, token = ''] = data.inviteUser?.path.split('#') ?? [];
    expect(path).toBe('/invitation');
    const dora = new Browser(service.origin);
    expect((await dora.post('/auth/invitation', { token })).json['data']).toMatchObject({ has_account: false });
    for (const bad of [
      'short',
      'my name is diaz',
      'Password2026!',
      'qwertyuiop',
      'a better\0one',
      'a better one \udca9',
      undefined,
    ])
      expect((await dora.post('/auth/invitation/accept', { token, password: bad })).details).toEqual({
        password: expect.any(String),
      });
    expect((await dora.post('/auth/invitation/accept', { token, password })).status).toBe(204);
    expect((await dora.graphql('{ me { fullName role company { slug } } }')).data['me']).toEqual({
      fullName: 'Dora Diaz',
      role: 'EXECUTIVE',
      company: { slug: 'acme' },
    });
    expect((await new Browser(service.origin).post('/auth/invitation', { token })).status).toBe(404);
    expect((await admin.graphql('{ invitations { id } }')).data['invitations']).toEqual([]);
    expect(errorCodes(await invite(admin, input))).toEqual([
      { code: 'VALIDATION_ERROR', details: { email: expect.any(String) } },
    ]);
  });

  test('ends when it is revoked, replaced or expired', async () => {
    const input = { email: 'eve@acme.example', fullName: 'Eve' };
    const tokenOf = async () => (await invite(admin, input)).data.inviteUser?.path.split('#')[1];
    const statusOf = async (token?: string) =>
      (await new Browser(service.origin).post('/auth/invitation', { token })).status;
    const first = await tokenOf();
    const next = await tokenOf();
    expect([await statusOf(first), await statusOf(next)]).toEqual([404, 200]);
    const [{ id } = {}] = (await admin.graphql<{ invitations: Row[] }>('{ invitations { id } }')).data.invitations;
    const revoke = (browser: Client) =>
      browser.graphql('mutation ($id: ID!) { revokeInvitation(id: $id) { id } }', { id });
    expect(errorCodes(await revoke(otherAdmin))).toEqual([{ code: 'NOT_FOUND' }]);
    expect((await revoke(admin)).errors).toEqual([]);
    const last = await tokenOf();
    await service.database.prisma.invitation.updateMany({ data: { expiresAt: new Date(Date.now() - 1) } });
    expect([await statusOf(next), await statusOf(last)]).toEqual([404, 404]);
  });

  test('is in the security log', async () => {
    const { securityEvents } = (await admin.graphql<{ securityEvents: Row[] }>('{ securityEvents { action } }')).data;
    expect(securityEvents.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['USER_INVITED', 'INVITATION_ACCEPTED', 'INVITATION_REVOKED']),
    );
  });
});

describe('invitations', () => {
  test('are at most 100 in a company, also when many are created at once', async () => {
    const tenant = await service.tenant('inviting');
    const { admin: inviter } = await signInAll(service, tenant);
    const { prisma } = service.database;
    const { id: companyId } = tenant.company;
    const expiresAt = new Date(Date.now() - 1000);
    const data = Array.from({ length: 95 }, (_, n) => ({
      ...{
        companyId,
        expiresAt,
        email: `guest${n}@inviting.example`,
        fullName: 'Guest',
        invitedBy: tenant.users[0]?.id ?? '',
      },
      tokenHash: randomBytes(32),
    }));
    await prisma.invitation.createMany({ data });
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => invite(inviter, { email: `more${n}@inviting.example`, fullName: 'More' })),
    );
    expect(replies.flatMap(errorCodes)).toEqual(Array.from({ length: 5 }, () => ({ code: 'CONFLICT' })));
    expect(await prisma.invitation.count({ where: { companyId } })).toBe(100);
    expect(replies.flatMap(({ errors }) => errors.map(({ message }) => message))[0]).toContain('100 open invitations');
    // Replacing one adds none, and other companies have their own.
    expect(errorCodes(await invite(inviter, { email: 'guest0@inviting.example', fullName: 'Guest' }))).toEqual([]);
    expect(errorCodes(await invite(otherAdmin, { email: 'more@other.example', fullName: 'More' }))).toEqual([]);
    const [{ id } = {}] = (await inviter.graphql<{ invitations: Row[] }>('{ invitations { id } }')).data.invitations;
    await inviter.graphql('mutation ($id: ID!) { revokeInvitation(id: $id) { id } }', { id });
    expect(errorCodes(await invite(inviter, { email: 'last@inviting.example', fullName: 'Last' }))).toEqual([]);
  });
});
