import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Browser, password, signInAll } from './support/browser.ts';
import type { Client, Row } from './support/client.ts';
import { openMailer, privateMail } from './support/mailer.ts';
import { type Service, startService, type Tenant } from './support/service.ts';
import { type MailServer, startMailServer } from './support/smtp.ts';

const invite = (admin: Client, input: Row) =>
  admin.graphql<{ inviteUser: { path: string; isEmailed: boolean } }>(
    `mutation ($input: InviteUserInput!) { inviteUser(input: $input) { path isEmailed } }`,
    { input },
  );

describe('an invitation', () => {
  let mails: MailServer;
  let service: Service;
  let tenant: Tenant;
  let admin: Browser;
  beforeAll(async () => {
    mails = await startMailServer();
    const env = { SMTP_URL: mails.url, PUBLIC_URL: 'http://localhost:4000', SMTP_FROM: 'premises@acme.example' };
    service = await startService(env);
    tenant = await service.tenant('acme');
    admin = (await signInAll(service, tenant)).admin;
  });
  afterAll(async () => {
    await service.close();
    await mails.close();
  });

  test('is emailed as text and HTML from the sender of the company, and its link is accepted', async () => {
    const settings = { name: 'Acme & Sons', emailSenderName: 'Acme "Desk"', emailReplyTo: 'desk@acme.example' };
    await admin.graphql(
      `mutation ($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { name } }`,
      { input: settings },
    );
    const { data } = await invite(admin, { email: 'Dora@acme.example', fullName: 'Dora <b>Diaz</b>' });
    expect(data.inviteUser.isEmailed).toBe(true);
    await mails.received(1);
    const [mail] = mails.messages;
    expect(mail).toMatchObject({
      recipients: ['dora@acme.example'],
      subject: 'Invitation to Acme & Sons',
      from: { value: [{ name: 'Acme "Desk"', address: 'premises@acme.example' }] },
      replyTo: { value: [{ address: 'desk@acme.example' }] },
    });
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
    const link = /http:\/\/localhost:4000\/invitation#[\w-]{32}/.exec(mail?.text ?? '')?.[0] ?? '';
    // It proves the address, so the inviting admin sees another one.
    expect(link).not.toContain(data.inviteUser.path);
    expect(mail?.text).toContain('Hello Dora <b>Diaz</b>,');
    expect(mail?.text).toContain(`Accept the invitation: ${link}`);
    expect(mail?.html).toContain('Hello Dora &lt;b&gt;Diaz&lt;/b&gt;,');
    expect(mail?.html).toContain('Acme &amp; Sons');
    expect(mail?.html).toContain(`<a href="${link}">Accept the invitation</a>`);
    const token = new URL(link).hash.slice(1);
    const dora = new Browser(service.origin);
    expect((await dora.at('').post('/auth/invitation/accept', { token, password })).status).toBe(204);
  });

  test('of the same address is sent again, and only the newer link works', async () => {
    const before = mails.messages.length;
    const first = await invite(admin, { email: 'eve@acme.example', fullName: 'Eve' });
    const second = await invite(admin, { email: 'eve@acme.example', fullName: 'Eve' });
    await mails.received(before + 2);
    const statusOf = async (path: string) => {
      const reply = await service.anonymous.at('').post('/auth/invitation', { token: path.split('#')[1] });
      return reply.status;
    };
    expect(await statusOf(first.data.inviteUser.path)).toBe(404);
    expect(await statusOf(second.data.inviteUser.path)).toBe(200);
  });

  test('that is refused, or made in a sandbox, is not emailed', async () => {
    const before = mails.messages.length;
    await invite(admin, { email: tenant.users[1]?.email, fullName: 'Ben' });
    await admin.at('').patch('/auth/session', { company_id: tenant.company.sandbox.id });
    const { data } = await invite(admin, { email: 'fay@acme.example', fullName: 'Fay' });
    expect(data.inviteUser).toMatchObject({ isEmailed: false, path: expect.stringMatching(/^\/invitation#/) });
    await admin.at('').patch('/auth/session', { company_id: tenant.company.id });
    // Earlier messages are sent before this one.
    await invite(admin, { email: 'gus@acme.example', fullName: 'Gus' });
    await mails.received(before + 1);
    expect(mails.messages.slice(before).flatMap(({ recipients }) => recipients)).toEqual(['gus@acme.example']);
  });
});

test('without SMTP_URL nothing is emailed, and the link is there to copy', async () => {
  const service = await startService();
  const { admin } = await signInAll(service, await service.tenant());
  const { data } = await invite(admin, { email: 'dora@acme.example', fullName: 'Dora' });
  expect(data.inviteUser).toEqual({ path: expect.stringMatching(/^\/invitation#/), isEmailed: false });
  await service.close();
});

describe('a message that cannot be sent', () => {
  test('whose recipient the server refuses is logged without the address', async () => {
    const server = await startMailServer({
      onRcptTo: ({ address }, _, done) => done(new Error(`no such user: ${address}`)),
    });
    const { mailer, logged } = await openMailer(server.url);
    mailer.send(privateMail.sender, privateMail.message);
    const lines = await logged();
    expect(lines).toMatchObject([{ level: 40, msg: 'email not sent', code: 'EENVELOPE', responseCode: 550 }]);
    expect(JSON.stringify(lines)).not.toMatch(/secret|Private/);
    await mailer.close();
    await server.close();
  });

  test('is logged without the password that is wrong', async () => {
    const server = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_, __, done) => done(null, {}),
    });
    const { mailer, logged } = await openMailer(server.url.replace('//', '//user:hunter2@'));
    mailer.send(privateMail.sender, privateMail.message);
    const lines = await logged();
    expect(lines).toMatchObject([{ msg: 'email not sent', code: 'EAUTH', responseCode: 535 }]);
    expect(JSON.stringify(lines)).not.toMatch(/hunter2|user|secret|Private/);
    await mailer.close();
    await server.close();
  });

  test('without a server is logged', async () => {
    const server = await startMailServer();
    await server.close();
    const { mailer, logged } = await openMailer(server.url);
    mailer.send(privateMail.sender, privateMail.message);
    expect(await logged()).toMatchObject([{ msg: 'email not sent', code: expect.stringMatching(/ESOCKET|ECONN/) }]);
    await mailer.close();
  });
});
