import { z } from 'zod';
import type { Company, User, UserRole } from '../database/generated/client/client.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { conflict, notFound, validationError } from '../errors.ts';
import { messages } from '../input/index.ts';
import { findEmailError } from './email.ts';
import { endAccess } from './email-proofs.ts';
import type { Actor } from './security-log.ts';
import { isMemberElsewhere, lockPerson } from './sessions/people.ts';

const sandboxSuffix = '-sandbox';
const maxNameLength = 200;
const maxSlugLength = 100 - sandboxSuffix.length;

const nameRule = z
  .string()
  .normalize('NFC')
  .trim()
  .min(1, messages.notEmpty)
  .max(maxNameLength, `must be at most ${maxNameLength} characters`)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters');
const slugRule = z
  .string()
  .max(maxSlugLength, `must be at most ${maxSlugLength} characters`)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must consist of lowercase letters, digits and single hyphens between them')
  .refine((text) => !text.endsWith(sandboxSuffix), `must not end in ${sandboxSuffix}, which is reserved for sandboxes`);
const emailRule = z
  .string()
  .trim()
  .toLowerCase()
  .max(500, { error: 'must be at most 500 characters', abort: true })
  .refine((text) => findEmailError(text) === undefined, { error: ({ input }) => findEmailError(String(input)) })
  // better-auth refuses others, such as a!b@example.com.
  .refine((text) => z.email().safeParse(text).success, 'must be an email address that people can sign in with');

/** What is wrong with the email address of a new user who is one already. */
export const alreadyMember = (email: string): string => `${email} is already a member of the company`;

/** A company and its sandbox, which test tokens work on. */
export type CompanyWithSandbox = Company & { sandbox: Company };

/** The rows that every company has from the start. */
const initialRows = { timeClockSettings: { create: {} } };

/**
 * Creates a company and its sandbox, whose slug is the company's followed by `-sandbox`, each with its settings.
 *
 * @throws ServiceError VALIDATION_ERROR for `slug` or `name` when malformed, or when the slug is taken
 */
export async function createCompany(
  prisma: Prisma.TransactionClient,
  input: { slug: string; name: string },
): Promise<CompanyWithSandbox> {
  const data = { slug: parseSlug(input.slug), name: parseName('name', input.name) };
  return prisma
    .$transaction(async (transaction) => {
      const company = await transaction.company.create({ data: { ...data, ...initialRows } });
      const sandbox = await transaction.company.create({
        data: { ...sandboxNames(data), ...initialRows, sandboxOfId: company.id },
      });
      return { ...company, sandbox };
    })
    .catch(explainDuplicate('slug', `a company with the slug "${data.slug}" already exists`));
}

/** Checks the slug of a new company. @throws ServiceError VALIDATION_ERROR for `slug` */
export const parseSlug = (slug: string): string => parse('slug', slugRule, slug);

/** The slug and the name of a company's sandbox. */
export const sandboxNames = ({ slug, name }: { slug: string; name: string }): { slug: string; name: string } => ({
  slug: slug + sandboxSuffix,
  name: `${[...name].slice(0, maxNameLength - 10).join('')} (sandbox)`,
});

/**
 * Creates a user in a company and in its sandbox, both with the id of the person who has this email address. The person
 * is created too, unless they are a user of another company already.
 *
 * A user of another company whose address nobody proved is refused: whoever created that account, such as an admin
 * there, may know its password.
 *
 * @param reset admits them all the same, and ends whatever signs them in; for the security log, who does that
 * @returns the user in the company itself
 * @throws ServiceError VALIDATION_ERROR for `email` or `fullName` when malformed, and for `email` when already a user
 *   of the company; NOT_FOUND when there is no such company or it is a sandbox; CONFLICT for an address that is refused
 */
export async function createUser(
  prisma: Prisma.TransactionClient,
  input: { companyId: string; email: string; fullName: string; role: UserRole },
  reset?: Actor,
): Promise<User> {
  const { companyId, role } = input;
  const email = parseEmail('email', input.email);
  const fullName = parseName('fullName', input.fullName);
  return prisma
    .$transaction(async (transaction) => {
      // A sandbox has none.
      const sandbox = await transaction.company.findUnique({ where: { sandboxOfId: companyId }, select: { id: true } });
      if (!sandbox) throw notFound('company');
      // Waits for a concurrent transaction that inserts the same person.
      await transaction.person.createMany({ data: { email, fullName }, skipDuplicates: true });
      const { id } = await transaction.person.findUniqueOrThrow({ where: { email }, select: { id: true } });
      await lockPerson(transaction, id);
      if (await isUnprovenElsewhere(transaction, companyId, id)) {
        if (!reset) throw conflict(unprovenElsewhere(email));
        await endAccess(transaction, id, reset);
      }
      const data = { id, email, fullName, role };
      await transaction.user.create({ data: { ...data, companyId: sandbox.id } });
      return transaction.user.create({ data: { ...data, companyId } });
    })
    .catch(explainDuplicate('email', alreadyMember(email)));
}

/** Why somebody who is a user of another company cannot join, until they prove the email address. */
export const unprovenElsewhere = (email: string): string =>
  `${email} has an account in another company, and nobody has proved that the address is theirs: whoever set its password could sign in here.`;

/** Whether a person is a user of another company, and nobody has proved that their email address is theirs. */
async function isUnprovenElsewhere(transaction: Prisma.TransactionClient, companyId: string, id: string) {
  const unproven = await transaction.person.count({ where: { id, emailVerifiedAt: null } });
  return unproven > 0 && (await isMemberElsewhere(transaction, { companyId, userId: id }));
}

/**
 * Normalizes, trims and checks a name: 1 to 200 characters without control characters.
 *
 * @param field the field it is for, by its GraphQL name
 * @returns the trimmed name
 * @throws ServiceError VALIDATION_ERROR for `field` when it is not a name
 */
export function parseName(field: string, value: string): string {
  return parse(field, nameRule, value);
}

/**
 * Trims and checks an email address, and converts it to lowercase.
 *
 * @param field the field it is for, by its GraphQL name
 * @throws ServiceError VALIDATION_ERROR for `field` when it is not an email address
 */
export const parseEmail = (field: string, value: string): string => parse(field, emailRule, value);

/** Checks a name. @returns what is wrong with it, for example `must not be empty`; undefined for a good one */
export const validateName = (value: string): string | undefined => nameRule.safeParse(value).error?.issues[0]?.message;

function parse(field: string, rule: z.ZodType<string>, value: string): string {
  const { success, data, error } = rule.safeParse(value);
  if (success) return data;
  throw validationError({ [field]: error.issues[0]?.message ?? 'is not valid' });
}

/** Whether an error is the violation of a unique index. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';

/** Creates a handler that turns the violation of a unique index into an error of a field, and rethrows other errors. */
function explainDuplicate(field: string, message: string): (error: unknown) => never {
  return (error) => {
    throw isDuplicate(error) ? validationError({ [field]: message }) : error;
  };
}
