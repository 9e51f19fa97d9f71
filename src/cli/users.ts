import type { Command } from 'commander';
import { createUser } from '../auth/accounts.ts';
import { deactivate, erase, reactivate, resetTwoFactor, setRole } from '../auth/members.ts';
import { commandLine, recordSecurityEvent } from '../auth/security-log.ts';
import { generatePassword, hasPassword, setPassword } from '../auth/sessions/passwords.ts';
import {
  findCompany,
  findMember,
  parseRole,
  print,
  printSecret,
  readPassword,
  roleOption,
  withDatabase,
} from './common.ts';

/** The options that name a user of a company. */
interface Named {
  company: string;
  email: string;
}

/** Adds the commands on users. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('users of companies');
  /** Adds a command that takes a user of a company. */
  const commandOnUser = (name: string, description: string) =>
    user
      .command(name)
      .description(description)
      .requiredOption('--company <slug>', 'slug of the company')
      .requiredOption('--email <address>', 'email address');

  commandOnUser('create', 'add a user to a company')
    .requiredOption('--name <name>', 'full name')
    .addOption(roleOption().default('member'))
    .option('--password-stdin', 'read their password from stdin')
    .action(async (options: Named & { name: string; role: string; passwordStdin?: true }) => {
      const password = options.passwordStdin && (await readPassword(program));
      await withDatabase(program, async (prisma, { database }) => {
        const { id: companyId } = await findCompany(prisma, options.company);
        const { email, name: fullName, role } = options;
        const { created, keepsPassword } = await database.transaction(async () => {
          const created = await createUser(prisma, { companyId, email, fullName, role: parseRole(role) });
          const event = { action: 'user_created', actor: commandLine, companyId, personId: created.id } as const;
          await recordSecurityEvent(prisma, { ...event, details: { role } });
          // A user of another company already has a password, which stays.
          const keepsPassword = password !== undefined && (await hasPassword(prisma, created.id));
          if (password !== undefined && !keepsPassword) await setPassword(prisma, created.id, password);
          return { created, keepsPassword };
        });
        const kept = keepsPassword ? ' Their password is unchanged.' : '';
        print(`Added ${created.email} (${created.id}) to ${options.company} as ${role}.${kept}`);
      });
    });

  user
    .command('list')
    .description("list a company's users: id, role, email address, name, and time of deactivation")
    .requiredOption('--company <slug>', 'slug of the company')
    .action((options: { company: string }) =>
      withDatabase(program, async (prisma) => {
        const { id: companyId } = await findCompany(prisma, options.company);
        const users = await prisma.user.findMany({ where: { companyId }, orderBy: { email: 'asc' } });
        for (const { id, role, email, fullName, deactivatedAt } of users) {
          const state = deactivatedAt ? `deactivated ${deactivatedAt.toISOString()}` : 'active';
          print([id, role.toLowerCase(), email, fullName, state].join('\t'));
        }
      }),
    );

  commandOnUser('role', 'change the role of a user; it applies to their sessions and tokens within a second')
    .addOption(roleOption().makeOptionMandatory())
    .action((options: Named & { role: string }) =>
      withDatabase(program, async (prisma) => {
        const { companyId, id: userId, email } = await findMember(prisma, options.company, options.email);
        await setRole(prisma, { companyId, userId }, parseRole(options.role), commandLine);
        print(`Changed the role of ${email} in ${options.company} to ${options.role}.`);
      }),
    );

  commandOnUser(
    'deactivate',
    'deactivate a user: sign them out of the company and refuse their tokens; their data is kept',
  ).action((options: Named) =>
    withDatabase(program, async (prisma) => {
      const { companyId, id: userId, email } = await findMember(prisma, options.company, options.email);
      await deactivate(prisma, { companyId, userId }, commandLine);
      print(`Deactivated ${email} in ${options.company}.`);
    }),
  );

  commandOnUser(
    'erase',
    "replace the name and email address of a deactivated user, except in texts such as comments; their rows are kept. This can't be undone",
  ).action((options: Named) =>
    withDatabase(program, async (prisma) => {
      const { companyId, id: userId } = await findMember(prisma, options.company, options.email);
      await erase(prisma, { companyId, userId }, commandLine);
      print(`Erased user ${userId} of ${options.company}.`);
    }),
  );

  commandOnUser('reactivate', 'reactivate a deactivated user').action((options: Named) =>
    withDatabase(program, async (prisma) => {
      const { companyId, id: userId, email } = await findMember(prisma, options.company, options.email);
      await reactivate(prisma, { companyId, userId }, commandLine);
      print(`Reactivated ${email} in ${options.company}.`);
    }),
  );

  commandOnUser(
    'reset-two-factor',
    'let a user who has lost their authenticator app sign in with their password alone',
  ).action((options: Named) =>
    withDatabase(program, async (prisma) => {
      const { companyId, id: userId, email } = await findMember(prisma, options.company, options.email);
      await resetTwoFactor(prisma, { companyId, userId }, commandLine, { ofOthers: true });
      print(`Reset two-factor authentication of ${email}: they sign in with their password alone.`);
    }),
  );

  commandOnUser(
    'reset-password',
    'reset the password of a user and end their sessions; without --password-stdin, generate one: on a terminal the last line of output is the password, elsewhere the path of a file with it',
  )
    .alias('password')
    .option('--password-stdin', 'read the password from stdin')
    .action(async (options: Named & { passwordStdin?: true }) => {
      const password = options.passwordStdin ? await readPassword(program) : generatePassword();
      await withDatabase(program, async (prisma, { database }) => {
        const { id, companyId, email } = await findMember(prisma, options.company, options.email);
        const event = { action: 'password_changed', actor: commandLine, companyId, personId: id } as const;
        await database.transaction(async () => {
          await setPassword(prisma, id, password);
          await recordSecurityEvent(prisma, event);
        });
        const done = `Reset password for ${email} and ended their sessions.`;
        if (options.passwordStdin) print(done);
        else printSecret(`${done} The new password was generated.`, password);
      });
    });
}
