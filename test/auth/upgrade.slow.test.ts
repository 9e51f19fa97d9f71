// Accounts that are older than proofs of email addresses.
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { createUser } from '../../src/auth/accounts.ts';
import { createLimiter } from '../../src/auth/limits.ts';
import { tokenHash } from '../../src/auth/sessions/hash-tokens.ts';
import { storedHash } from '../../src/auth/tokens.ts';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/database/migrate.ts';
import { api } from '../../src/schema/index.ts';
import { Browser, password, publicOrigin } from '../support/browser.ts';
import { hashOf } from '../support/hash-of.ts';
import { openOlder } from '../support/older-release.ts';
import { providerSettings, TestProvider } from './oidc-provider.ts';

test('accounts keep working where they are, and those that OpenID alone signs in to are proved', async () => {
  const database = await openOlder('20261125085300_email_proofs');
  const provider = await TestProvider.start();
  const { prisma } = database;

  const run = (text: string) => database.query({ text });
  const [acme, other] = [randomUUID(), randomUUID()];
  await run(
    `INSERT INTO companies (id, name, slug) VALUES ('${acme}', 'Acme', 'acme'), ('${other}', 'Other', 'other')`,
  );
  await run(`INSERT INTO companies (id, name, slug, sandbox_of_id) VALUES
    ('${randomUUID()}', 'Acme (sandbox)', 'acme-sandbox', '${acme}'),
    ('${randomUUID()}', 'Other (sandbox)', 'other-sandbox', '${other}')`);
  const hash = await hashOf(password);
  const ids: Record<string, string> = {};
  /** Inserts a user who signs in with these methods, and has a session. */
  const insert = async (name: string, companies: readonly string[], methods: readonly ('password' | 'oidc')[]) => {
    const id = (ids[name] = randomUUID());
    const email = `${name}@acme.test`;
    await run(`INSERT INTO people (id, full_name, email) VALUES ('${id}', '${name}', '${email}')`);
    for (const company of companies)
      await run(`INSERT INTO users (company_id, id, full_name, email, role)
        SELECT id, '${id}', '${name}', '${email}', 'admin' FROM companies WHERE '${company}' IN (id, sandbox_of_id)`);
    for (const method of methods)
      await run(`INSERT INTO accounts (id, person_id, provider_id, account_id, password, created_at) VALUES (gen_random_uuid(), '${id}',
        ${method === 'oidc' ? `'oidc', '${provider.issuer} ${name}', NULL` : `'credential', '${id}', '${hash}'`}, '2026-01-02')`);
    await run(`INSERT INTO sessions (id, token, person_id, company_id, expires_at)
      VALUES (gen_random_uuid(), '${tokenHash(name)}', '${id}', '${acme}', now() + interval '1 day')`);
  };
  await insert('password', [acme], ['password']);
  await insert('oidc', [acme], ['oidc']);
  await insert('both', [acme], ['password', 'oidc']);
  await insert('of-two', [acme, other], ['password']);
  await insert('neither', [acme], []);
  await run(`INSERT INTO invitations (id, company_id, email, full_name, role, token_hash, invited_by, expires_at) VALUES
    (gen_random_uuid(), '${acme}', 'new@acme.test', 'New', 'member', '\\x${Buffer.from(storedHash('of new')).toString('hex')}', '${ids['password']}', now() + interval '1 day')`);

  await migrate(database);
  const people = await prisma.person.findMany({ where: { emailVerifiedAt: { not: null } } });
  expect(people.map(({ id, emailVerifiedAt }) => [id, emailVerifiedAt])).toEqual([
    [ids['oidc'], new Date('2026-01-02')],
  ]);

  const limiter = createLimiter(database);
  const config = readConfig({ ...providerSettings(provider.issuer), PUBLIC_URL: publicOrigin });
  const app = await createApp({ api, config, database, limiter, logger: pino({ level: 'silent' }) });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const companiesOf = async (browser: Browser) => {
    const { data } = await browser.graphql<{ me: { companies: { slug: string }[] } }>('{ me { companies { slug } } }');
    return data.me?.companies.map(({ slug }) => slug);
  };
  const withPassword = async (name: string) => {
    const browser = new Browser(origin);
    expect((await browser.signIn(`${name}@acme.test`, password)).status).toBe(200);
    return browser;
  };
  const withOpenId = async (name: string) => {
    provider.people.set(name, { email: `${name}@acme.test`, email_verified: true });
    const browser = new Browser(origin);
    const start = (await browser.open('/auth/oidc')).headers.get('location') ?? '';
    await browser.open(await provider.visit(start, name), { 'sec-fetch-site': 'cross-site' });
    return browser;
  };
  const atAcme = ['acme', 'acme-sandbox'];
  for (const name of ['password', 'both']) expect(await companiesOf(await withPassword(name))).toEqual(atAcme);
  for (const name of ['oidc', 'both', 'neither']) expect(await companiesOf(await withOpenId(name))).toEqual(atAcme);
  expect(await companiesOf(await withPassword('of-two'))).toEqual([...atAcme, 'other', 'other-sandbox']);
  // The sessions of before go on.
  expect(await prisma.session.count({ where: { token: { in: Object.keys(ids).map(tokenHash) } } })).toBe(5);

  // Who has proved their address joins another company; others do so by the emailed link.
  const join = (name: string) =>
    createUser(prisma, { companyId: other, email: `${name}@acme.test`, fullName: name, role: 'MEMBER' });
  for (const name of ['oidc', 'neither']) await join(name);
  for (const name of ['password', 'both']) await expect(join(name)).rejects.toMatchObject({ code: 'CONFLICT' });
  const invited = { token: 'of new', password };
  expect((await new Browser(origin).post('/auth/invitation/accept', invited)).status).toBe(204);
  expect(await companiesOf(await withPassword('new'))).toEqual(atAcme);

  await app.close();
  await limiter.close();
  await database.close();
  await provider.stop();
});
