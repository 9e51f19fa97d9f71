import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CommandLine, takeSecret } from './support/command-line.ts';

let commands: CommandLine;
beforeAll(async () => {
  commands = await CommandLine.create();
});
afterAll(() => commands.remove());

/** How many rows there are of what commands write. */
const count = () =>
  commands.look(async ({ prisma }) => ({
    companies: await prisma.company.count(),
    people: await prisma.person.count(),
    users: await prisma.user.count(),
    passwords: (await prisma.account.findMany()).map(({ password }) => password),
    valid: await prisma.apiToken.count({ where: { revokedAt: null } }),
    events: await prisma.securityEvent.count(),
  }));

test('a command that fails changes nothing, also where only its entry in the security log fails', async () => {
  const ofAcme = ['--company', 'acme'];
  const ofAnn = [...ofAcme, '--user', 'ann@acme.test'];
  const token = ['token', 'create', ...ofAnn, '--name', 'x', '--scopes', 'notes:read'];
  const create = (name: string) => ['user', 'create', ...ofAcme, '--email', `${name}@acme.test`, '--name', name];
  await commands.run('company', 'create', '--slug', 'acme', '--name', 'Acme');
  await commands.runWithInput('a long passphrase', ...create('ann'), '--password-stdin');
  await takeSecret(await commands.run(...token));
  const id = await commands.look(async ({ prisma }) => (await prisma.apiToken.findFirstOrThrow()).id);
  const before = await count();
  expect(before).toMatchObject({ companies: 2, people: 1, users: 2, passwords: [expect.any(String)], valid: 1 });

  expect(await commands.runWithInput('1234567890', ...create('bob'), '--password-stdin')).toMatchObject({
    code: 1,
    err: 'error: password: is one of the most common passwords\n',
  });
  expect(await count()).toEqual(before);

  await commands.look(({ prisma }) => prisma.$executeRaw`ALTER TABLE security_events ADD CHECK (false) NOT VALID`);
  for (const command of [
    ['company', 'create', '--slug', 'bravo', '--name', 'Bravo'],
    create('bob'),
    ['user', 'reset-password', ...ofAcme, '--email', 'ann@acme.test'],
    token,
    ['token', 'revoke', id],
    ['token', 'revoke', ...ofAnn],
  ])
    expect(await commands.run(...command)).toMatchObject({ code: 1, out: '' });
  expect(await count()).toEqual(before);
});
