import type { Command } from 'commander';
import { parseScopes } from '../auth/scopes.ts';
import { commandLine, recordSecurityEvent } from '../auth/security-log.ts';
import { findMainCompanyId } from '../auth/sessions/people.ts';
import { createToken, listTokens, revokeToken, revokeTokens } from '../auth/tokens.ts';
import { isUuid } from '../formats.ts';
import {
  asOptionParser,
  companyOption,
  findCompany,
  findMember,
  parseCount,
  parseExpiry,
  print,
  printSecret,
  withDatabase,
} from './common.ts';

/** The options of `token create`. */
interface TokenOptions {
  company: string;
  user: string;
  name: string;
  scopes: string[];
  test?: true;
  rateLimit?: number;
  expires?: Date | 'never';
}

/** Adds the commands on API tokens. */
export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('API tokens');

  token
    .command('create')
    .description(
      'create a token; on a terminal the last line of output is the token, elsewhere the path of a file with it',
    )
    .addOption(companyOption('slug of the company that the token accesses').makeOptionMandatory())
    .requiredOption('--user <address>', 'email address of the user that the token acts on behalf of')
    .requiredOption('--name <name>', 'purpose of the token')
    .requiredOption(
      '--scopes <list>',
      'scopes of the token, for example inventory:read,notes:write, or * for all',
      asOptionParser(parseScopes),
    )
    .option('--test', "create a test token, which works on the company's sandbox")
    .option('--rate-limit <number>', "requests per hour (default: the service's)", parseCount)
    .option(
      '--expires <date>',
      'date or time when it expires, for example 2027-01-01, or never (default: in a year)',
      parseExpiry,
    )
    .action((options: TokenOptions) =>
      withDatabase(program, async (prisma, { database }) => {
        const { id: userId, companyId } = await findMember(prisma, options.company, options.user);
        const { name, scopes, rateLimit, expires, test } = options;
        const expiresAt = expires === 'never' ? null : expires;
        const wanted = { companyId, userId, name, scopes, live: !test, rateLimit, expiresAt };
        const details = { token: name, scopes: scopes.join(' '), live: !test };
        const event = { action: 'token_created', actor: commandLine, companyId, personId: userId, details } as const;
        const created = await database.transaction(async () => {
          await recordSecurityEvent(prisma, event);
          return createToken(prisma, wanted);
        });
        printSecret(`Created token ${created.id}.`, created.token);
      }),
    );

  token
    .command('list')
    .description("list a company's tokens, live and test")
    .addOption(companyOption().makeOptionMandatory())
    .action((options: { company: string }) =>
      withDatabase(program, async (prisma) => {
        const { id } = await findCompany(prisma, options.company);
        for (const each of (await listTokens(prisma, { companyId: id })).reverse()) {
          const kind = each.live ? 'live' : 'test';
          const use = `used ${each.lastUsedAt?.toISOString() ?? 'never'}`;
          const { name, owner, scopes, lastFour, createdAt } = each;
          const made = `created ${createdAt.toISOString()}`;
          const columns = [each.id, each.state.toLowerCase(), kind, name, owner.email, scopes.join(','), use, made];
          print([...columns, `…${lastFour ?? ''}`].join('\t'));
        }
      }),
    );

  token
    .command('revoke')
    .description('revoke a token, or all tokens of a user')
    .argument('[id]', "the token's id, as printed by create and list")
    .option('--user <address>', 'email address of the user whose tokens to revoke')
    .addOption(companyOption('with --user: slug of the company'))
    .action((id: string | undefined, options: { user?: string; company?: string }) =>
      withDatabase(program, async (prisma, { database }) => {
        if (options.user !== undefined && options.company !== undefined && id === undefined) {
          const { id: userId, companyId, email } = await findMember(prisma, options.company, options.user);
          const event = { action: 'token_revoked', actor: commandLine, companyId, personId: userId } as const;
          const count = await database.transaction(async () => {
            const tokens = await revokeTokens(prisma, { companyId, userId });
            if (tokens > 0) await recordSecurityEvent(prisma, { ...event, details: { tokens } });
            return tokens;
          });
          print(`Revoked ${count} tokens of ${email}.`);
          return;
        }
        if (id === undefined || options.user !== undefined || options.company !== undefined)
          throw new Error('give the id of a token, or --user and --company');
        const found = isUuid(id) ? await prisma.apiToken.findFirst({ where: { id } }) : null;
        await database.transaction(async () => {
          if (!found || !(await revokeToken(prisma, id)))
            throw new Error(`there is no token ${id}, or it is already revoked`);
          const companyId = await findMainCompanyId(prisma, found.companyId);
          const event = { action: 'token_revoked', actor: commandLine, companyId, personId: found.userId } as const;
          await recordSecurityEvent(prisma, { ...event, details: { token: found.name } });
        });
        print(`Revoked token ${id}.`);
      }),
    );
}
