import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { verifyPassword } from '../src/auth/sessions/passwords.ts';
import { CommandLine, takeSecret } from './support/command-line.ts';
import { findCaller } from './support/find-caller.ts';

describe('npm run admin', () => {
  let commands: CommandLine;
  beforeAll(async () => {
    commands = await CommandLine.create();
  });
  afterAll(() => commands.remove());

  const tokenOf = async (...more: string[]) =>
    takeSecret(
      await commands.run(
        'token',
        'create',
        '--company',
        'acme',
        '--user',
        'Ann@acme.test',
        '--name',
        'ci',
        '--scopes',
        'inventory:read,notes:write',
        ...more,
      ),
    );

  test('sets up an empty database, creates tokens and revokes them', async () => {
    expect(await commands.run('company', 'create', '--slug', 'acme', '--name', 'Acme')).toMatchObject({
      code: 0,
      err: '',
    });
    const user = await commands.run(
      'user',
      'create',
      '--company',
      'acme',
      '--email',
      'ann@acme.test',
      '--name',
      'Ann',
      '--role',
      'admin',
    );
    expect(user).toMatchObject({ code: 0, err: '' });
    const live = await tokenOf('--rate-limit', '100000', '--expires', 'never');
    const sandboxed = await tokenOf('--test', '--expires', '2999-01-01');
    expect(live).toMatch(/^svc_live_\w{38}$/);
    expect(sandboxed).toMatch(/^svc_test_\w{38}$/);

    const callers = await commands.look(async (database) => {
      const { prisma } = database;
      const companies = await prisma.company.findMany({ orderBy: { slug: 'asc' } });
      expect(companies.map(({ slug, name }) => [slug, name])).toEqual([
        ['acme', 'Acme'],
        ['acme-sandbox', 'Acme (sandbox)'],
      ]);
      const callers = [await findCaller(database, live), await findCaller(database, sandboxed)];
      const scopes = ['inventory:read', 'notes:write'];
      expect(callers).toMatchObject([
        { companyId: companies[0]?.id, scopes, rateLimit: 100_000 },
        { companyId: companies[1]?.id, scopes, rateLimit: 100, userId: callers[0]?.userId },
      ]);
      expect(await prisma.user.count({ where: { role: 'ADMIN' } })).toBe(2);
      const tokens = await prisma.apiToken.findMany({ orderBy: { createdAt: 'asc' } });
      expect(tokens.map(({ expiresAt }) => expiresAt)).toEqual([null, new Date('2999-01-01T00:00:00Z')]);
      return callers;
    });

    const id = callers[0]?.id ?? '';
    const { out } = await commands.run('token', 'list', '--company', 'acme');
    expect(out).toContain(`${id}\tvalid\tlive\tci\tann@acme.test\tinventory:read,notes:write\t`);
    expect(out).toContain('\tvalid\ttest\tci\t');
    expect(await commands.run('token', 'revoke', id)).toMatchObject({ code: 0, err: '' });
    expect((await commands.run('token', 'list', '--company', 'acme')).out).toContain(`${id}\trevoked\tlive`);
    await commands.look(async (database) => expect(await findCaller(database, live)).toBeNull());
  });

  test('lists users, changes roles, deactivates them, and revokes all tokens of one', async () => {
    const dan = ['--company', 'acme', '--email', 'dan@acme.test'];
    await commands.run('user', 'create', ...dan, '--name', 'Dan');
    const ofDan = ['--company', 'acme', '--user', 'dan@acme.test'];
    const token = await takeSecret(
      await commands.run('token', 'create', ...ofDan, '--name', 'x', '--scopes', '*:read'),
    );
    const caller = () => commands.look((database) => findCaller(database, token));
    expect(await commands.run('user', 'role', ...dan, '--role', 'executive')).toMatchObject({ code: 0, err: '' });
    expect(await caller()).toMatchObject({ role: 'EXECUTIVE' });
    expect(await commands.run('user', 'deactivate', ...dan)).toMatchObject({ code: 0, err: '' });
    expect(await caller()).toBeNull();
    expect((await commands.run('user', 'list', '--company', 'acme')).out).toMatch(
      /\texecutive\tdan@acme\.test\tDan\tdeactivated \d{4}-/,
    );
    expect(await commands.run('user', 'reactivate', ...dan)).toMatchObject({ code: 0, err: '' });
    expect(await caller()).toMatchObject({ role: 'EXECUTIVE' });
    expect((await commands.run('token', 'revoke', ...ofDan)).out).toBe('Revoked 1 tokens of dan@acme.test.\n');
    expect(await caller()).toBeNull();
    expect(await commands.run('user', 'deactivate', '--company', 'acme', '--email', 'ann@acme.test')).toMatchObject({
      code: 1,
      err: expect.stringContaining('last active admin'),
    });
    await commands.look(async ({ prisma }) => {
      const actions = (await prisma.securityEvent.findMany({ orderBy: { id: 'asc' } })).map(({ action }) => action);
      expect(actions).toEqual(
        expect.arrayContaining([
          'company_created',
          'user_created',
          'role_changed',
          'user_deactivated',
          'token_revoked',
        ]),
      );
    });
  });

  test('lists workspace records that overlap', async () => {
    const noFiles = '0 files with 0 bytes: 0 have no bytes, 0 have another size. The store has 0 without a row.\n';
    expect(await commands.run('check')).toMatchObject({
      code: 0,
      err: '',
      out: `No workspace records overlap.\nAll texts are in one form.\n${noFiles}`,
    });
    const ids = await commands.look(async ({ prisma }) => {
      const { id: userId, companyId } = await prisma.user.findFirstOrThrow({
        where: { email: 'ann@acme.test', company: { slug: 'acme' } },
      });
      const { id: deskId } = await prisma.desk.create({ data: { companyId } });
      const record = (start: string, end: string) =>
        prisma.workspaceRecord.create({
          data: { companyId, userId, deskId, startDate: new Date(start), endDate: new Date(end) },
        });
      const first = await record('2026-01-01', '2026-03-31');
      const second = await record('2026-03-31', '2026-06-30');
      await record('2026-07-01', '2026-12-31');
      return [deskId, first.id, second.id];
    });
    expect(await commands.run('check')).toMatchObject({
      code: 1,
      err: '',
      out: `acme\t${ids.join('\t')}\nAll texts are in one form.\n${noFiles}`,
    });
  });

  test('sets passwords, which ends sessions', async () => {
    const bea = ['--company', 'acme', '--email', 'Bea@acme.test'];
    const made = await commands.runWithInput(
      'a long password\n',
      'user',
      'create',
      ...bea,
      '--name',
      'Bea',
      '--password-stdin',
    );
    expect(made).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^Added bea@acme.test \([-\w]+\) to acme as member.\n$/),
    });
    const id = /\(([-\w]+)\)/.exec(made.out)?.[1] ?? '';
    await commands.look(async ({ prisma }) => {
      expect(await verifyPassword(prisma, id, 'a long password')).toBe(true);
      await prisma.session.create({ data: { personId: id, token: 'x', expiresAt: new Date('2999-01-01') } });
    });
    await commands.run('company', 'create', '--slug', 'bravo', '--name', 'Bravo');
    const toBravo = ['user', 'create', '--company', 'bravo', '--email', 'bea@acme.test', '--name', 'Bea'];
    // Whoever set the password in the other company could sign in here.
    expect(await commands.runWithInput('another password\n', ...toBravo, '--password-stdin')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('--reset-password'),
    });
    const proof = (emailVerifiedAt: Date | null) =>
      commands.look(({ prisma }) => prisma.person.update({ where: { id }, data: { emailVerifiedAt } }));
    await proof(new Date());
    const elsewhere = await commands.runWithInput('another password\n', ...toBravo, '--password-stdin');
    expect(elsewhere.out).toContain('Their password is unchanged.');
    await proof(null);
    await commands.run('company', 'create', '--slug', 'carol', '--name', 'Carol');
    const toCarol = toBravo.map((word) => (word === 'bravo' ? 'carol' : word));
    const reset = await takeSecret(await commands.run(...toCarol, '--reset-password'));
    await commands.look(async ({ prisma }) => {
      expect(await verifyPassword(prisma, id, reset)).toBe(true);
      expect(await prisma.session.count()).toBe(0);
      await prisma.session.create({ data: { personId: id, token: 'x', expiresAt: new Date('2999-01-01') } });
    });

    const changed = await commands.runWithInput('a new password', 'user', 'password', ...bea, '--password-stdin');
    expect(changed).toMatchObject({
      code: 0,
      err: '',
      out: 'Reset password for bea@acme.test and ended their sessions.\n',
    });
    await commands.look(async ({ prisma }) => {
      expect([
        await verifyPassword(prisma, id, reset),
        await verifyPassword(prisma, id, 'a new password'),
        await prisma.session.count(),
      ]).toEqual([false, true, 0]);
    });
    const generated = await takeSecret(await commands.run('user', 'password', ...bea));
    expect(generated).toMatch(/^(\w{4}-){3}\w{4}$/);
    await commands.look(async ({ prisma }) => expect(await verifyPassword(prisma, id, generated)).toBe(true));
    expect(await commands.run('user', 'reset-two-factor', ...bea)).toMatchObject({
      code: 1,
      err: 'error: This person signs in without an authenticator app.\n',
    });
    await commands.look(({ prisma }) => prisma.person.update({ where: { id }, data: { twoFactorEnabled: true } }));
    expect(await commands.run('user', 'reset-two-factor', ...bea)).toMatchObject({
      code: 0,
      err: '',
      out: 'Reset two-factor authentication of bea@acme.test: they sign in with their password alone.\n',
    });
    await commands.look(async ({ prisma }) => {
      expect((await prisma.person.findUniqueOrThrow({ where: { id } })).twoFactorEnabled).toBe(false);
      const [event] = await prisma.securityEvent.findMany({ where: { action: 'two_factor_reset' } });
      expect(event).toMatchObject({ personId: id, actorId: null, ipAddress: null });
    });

    // The admins of Bea's companies cannot.
    const link = { personId: id, providerId: 'oidc', accountId: 'https://id.test bea' };
    await commands.look(({ prisma }) => prisma.account.create({ data: link }));
    const unlinked = 'Unlinked bea@acme.test from their OpenID identity and ended their sessions.\n';
    expect(await commands.run('user', 'unlink-openid', ...bea)).toMatchObject({ code: 0, err: '', out: unlinked });
    expect(await commands.look(({ prisma }) => prisma.account.count({ where: link }))).toBe(0);

    // On a terminal the last line is the secret itself.
    const onTerminal = await commands.runOnTerminal('user', 'password', ...bea);
    expect(onTerminal.last).toMatch(/^(\w{4}-){3}\w{4}$/);
    await commands.look(async ({ prisma }) => expect(await verifyPassword(prisma, id, onTerminal.last)).toBe(true));
    const ofBea = ['--company', 'acme', '--user', 'bea@acme.test', '--name', 'x', '--scopes', 'notes:read'];
    const shown = await commands.runOnTerminal('token', 'create', ...ofBea);
    expect(shown).toMatchObject({ code: 0, last: expect.stringMatching(/^svc_live_\w{38}$/) });

    for (const args of [
      ['user', 'create', '--company', 'acme', '--email', 'c@acme.test', '--name', 'C'],
      ['user', 'password', ...bea],
    ]) {
      expect(await commands.runWithInput('a new\0password', ...args, '--password-stdin')).toEqual({
        code: 1,
        out: '',
        err: 'error: password: must not contain NUL\n',
        last: '',
      });
      expect(await commands.runWithInput('short', ...args, '--password-stdin')).toEqual({
        code: 1,
        out: '',
        err: 'error: password: must be at least 10 characters\n',
        last: '',
      });
    }
    expect(await commands.run('user', 'password', '--company', 'acme', '--email', 'c@acme.test')).toMatchObject({
      code: 1,
      err: 'error: c@acme.test is not a member of acme\n',
    });
  });

  test.each([
    [
      'a taken slug',
      ['company', 'create', '--slug', 'acme', '--name', 'X'],
      'a company with the slug "acme" already exists',
    ],
    [
      'a bad slug',
      ['company', 'create', '--slug', 'A C', '--name', 'X'],
      'error: slug: must consist of lowercase letters',
    ],
    ['an option left out', ['company', 'create', '--name', 'X'], "required option '--slug <slug>' not specified"],
    ['an unknown company', ['token', 'list', '--company', 'acne'], 'there is no company acne'],
    [
      'a member twice',
      ['user', 'create', '--company', 'acme', '--email', 'ann@acme.test', '--name', 'A'],
      'ann@acme.test is already a member',
    ],
    [
      'an unknown role',
      ['user', 'create', '--company', 'acme', '--email', 'b@acme.test', '--name', 'B', '--role', 'boss'],
      'Allowed choices are admin, executive, member',
    ],
    [
      'an unknown user',
      ['token', 'create', '--company', 'acme', '--user', 'bob@acme.test', '--name', 'x', '--scopes', '*'],
      'bob@acme.test is not a member of acme',
    ],
    [
      'an unknown scope',
      ['token', 'create', '--company', 'acme', '--user', 'ann@acme.test', '--name', 'x', '--scopes', 'inventry:read'],
      'did you mean "inventory:read"?',
    ],
    ['a day that does not exist', ['token', 'create', '--expires', '2999-02-30'], 'must be a date'],
    ['a day gone by', ['token', 'create', '--expires', '2001-01-01'], 'must be in the future'],
    ['a limit of nothing', ['token', 'create', '--rate-limit', '0'], 'must be a whole number'],
    ['no such token', ['token', 'revoke', 'x'], 'there is no token x'],
    ['no such command', ['compny'], "unknown command 'compny'"],
  ])('explains %s in one line', async (_what, args, message) => {
    const { code, out, err } = await commands.run(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
    expect(err).toMatch(/^error: [^\n]+\n(\(Did you mean company\?\)\n)?$/);
  });

  const embedded = process.env.TEST_DATABASE_URL ? test.skip : test;
  embedded('reports that the service has the embedded database open', async () => {
    const { code, err } = await commands.look(() => commands.run('migrate'));
    expect(code).toBe(1);
    expect(err).toMatch(/^error: [^\n]*in use by another process[^\n]*\n$/);
  });

  test('explains an invalid configuration and an unreachable database in one line', async () => {
    const DATABASE_URL = 'postgresql://127.0.0.1:1/premises';
    expect(await commands.with({ PORT: 'x', DATABASE_URL }).run('migrate')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error: [^\n]*PORT must be[^\n]*\n$/),
    });
    expect(await commands.with({ DATABASE_URL }).run('migrate')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error: [^\n]*ECONNREFUSED[^\n]*\n$/),
    });
  });

  test('creates the demo once, and completes it later', async () => {
    const first = await commands.run('demo');
    expect(first).toMatchObject({ code: 0, err: '', last: expect.stringMatching(/^svc_live_\w{38}$/) });
    const [, email = '', password = ''] = /^Sign in as (\S+) with the password (\S+)$/m.exec(first.out) ?? [];
    const second = await commands.run('demo', '--service-requests', '75');
    expect(second).toMatchObject({
      code: 0,
      out: expect.stringContaining('already exists'),
      last: expect.stringMatching(/^svc_live_\w{38}$/),
    });
    expect(second.err).toMatch(/15 of 15 service requests\n$/);
    await commands.look(async (database) => {
      const { prisma } = database;
      const { id } = await prisma.person.findUniqueOrThrow({ where: { email } });
      expect(await verifyPassword(prisma, id, password)).toBe(true);
      expect(second.out).not.toContain('password');
      for (const { last } of [first, second])
        expect(await findCaller(database, last)).toMatchObject({ scopes: ['*'], rateLimit: 5000 });
      expect(await prisma.serviceRequest.count({ where: { company: { slug: 'demo' } } })).toBe(75);
    });
  });
});
