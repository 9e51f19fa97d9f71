import type { Command } from 'commander';
import { createUser } from '../auth/accounts.ts';
import { deactivate, erase, reactivate, resetTwoFactor, setRole, unlinkOpenId } from '../auth/members.ts';
import { commandLine, recordSecurityEvent } from '../auth/security-log.ts';
import { generatePassword, setPassword } from '../auth/sessions/passwords.ts';
import { isMemberElsewhere } from '../auth/sessions/people.ts';
import type { PrismaClient, User } from '../database/generated/client/client.ts';
import { ServiceError } from '../errors.ts';
import {
  companyOption,
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

/** The options of a new user. */
interface NewUser extends Named {
  name: string;
  role: string;
  passwordStdin?: true;
  resetPassword?: true;
}

/** Adds a user to a company. @throws Error which says how to add one whose address nobody proved */
async function addUser(prisma: PrismaClient, options: NewUser): Promise<User> {
  const { id: companyId } = await findCompany(prisma, options.company);
  const { email, name: fullName, role, resetPassword } = options;
  const user = { companyId, email, fullName, role: parseRole(role) };
  return createUser(prisma, user, resetPassword && commandLine).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'CONFLICT') throw error;
    throw new Error(
      `${error.message} Invite them by email, or add --reset-password, which ends that password, the authenticator app, sessions and tokens of the account, and sets a new password`,
    );
  });
}

/** Whether a user of a company is one of another company too, and proved that the email address is theirs. */
async function isProvenElsewhere(prisma: PrismaClient, { companyId, id }: User): Promise<boolean> {
  const { emailVerifiedAt } = await prisma.person.findUniqueOrThrow({ where: { id } });
  return emailVerifiedAt !== null && (await isMemberElsewhere(prisma, { companyId, userId: id }));
}

/** Adds the commands on users. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('users of companies');
  /** Adds a command that takes a user of a company. */
  const commandOnUser = (name: string, description: string) =>
    user
      .command(name)
      .description(description)
      .addOption(companyOption().makeOptionMandatory())
      .requiredOption('--email <address>', 'email address');

  commandOnUser('create', 'add a user to a company')
    .requiredOption('--name <name>', 'full name')
    .addOption(roleOption().default('member'))
    .option('--password-stdin', 'read their password from stdin')
    .option(
      '--reset-password',
      'add them also if they have an account in another company and nobody proved that the email address is theirs: end its password, authenticator app, sessions and tokens, and set a new password, generated without --password-stdin',
    )
    .action(async (options: NewUser) => {
      const given = options.passwordStdin && (await readPassword(program));
      await withDatabase(program, async (prisma, { database }) => {
        const { company, role } = options;
        const generated = options.resetPassword && given === undefined ? generatePassword() : undefined;
        const password = given ?? generated;
        const { created, isNew } = await database.transaction(async () => {
          const created = await addUser(prisma, options);
          const event = { action: 'user_created', actor: commandLine, companyId: created.companyId } as const;
          await recordSecurityEvent(prisma, { ...event, personId: created.id, details: { role } });
          // A user of another company signs in as before.
          const isNew = !(await isProvenElsewhere(prisma, created));
          if (password !== undefined && isNew) await setPassword(prisma, created.id, password);
          return { created, isNew };
        });
        const done = `Added ${created.email} (${created.id}) to ${company} as ${role}.`;
        if (generated !== undefined && isNew) printSecret(`${done} The new password was generated.`, generated);
        else print(password === undefined || isNew ? done : `${done} Their password is unchanged.`);
      });
    });

  user
    .command('list')
    .description("list a company's users: id, role, email address, name, and time of deactivation")
    .addOption(companyOption().makeOptionMandatory())
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
    'unlink-openid',
    'unlink a user from their OpenID identity and end their sessions, so that they can sign in with another one that has their email address',
  ).action((options: Named) =>
    withDatabase(program, async (prisma) => {
      const { companyId, id: userId, email } = await findMember(prisma, options.company, options.email);
      await unlinkOpenId(prisma, { companyId, userId }, commandLine, { ofOthers: true });
      print(`Unlinked ${email} from their OpenID identity and ended their sessions.`);
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
