import { z } from 'zod';
import type { Company, PrismaClient, User, UserRole } from '../database/generated/client/client.ts';
import { Prisma } from '../database/generated/client/client.ts';

/** Thrown when a row cannot be made of what was given; the message says why in one readable line. */
export class RefusedInput extends Error {
  override readonly name = 'RefusedInput';

  /**
   * @param field the column at fault, as the database names it
   * @param reason `invalid`: malformed; `duplicate`: taken; `unknown`: refers to what does not exist
   */
  constructor(
    readonly field: string,
    readonly reason: 'invalid' | 'duplicate' | 'unknown',
    message: string,
  ) {
    super(message);
  }
}

const sandboxSuffix = '-sandbox';
const maxName = 200;
const maxSlug = 100 - sandboxSuffix.length;

const name = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(maxName, `is longer than ${maxName} characters`)
  .regex(/^\P{Cc}*$/u, 'holds a control character');
const slug = z
  .string()
  .max(maxSlug, `is longer than ${maxSlug} characters`)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'may hold only small letters, digits and single hyphens between them')
  .refine((text) => !text.endsWith(sandboxSuffix), `may not end in ${sandboxSuffix}, which names the sandboxes`);
const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(500, 'is longer than 500 characters')
  .pipe(z.email('is no e-mail address'));

/** A company and the twin its test tokens work on. */
export type CompanyWithSandbox = Company & { sandbox: Company };

/** What a company has from the start. */
const furnishings = { timeClockSettings: { create: {} } };

/**
 * Makes a company and its sandbox, whose slug is the company's with `-sandbox` after it, each with its settings.
 *
 * @throws {RefusedInput} when the slug or the name cannot be one, or the slug is taken
 */
export async function createCompany(
  prisma: PrismaClient,
  given: { slug: string; name: string },
): Promise<CompanyWithSandbox> {
  const data = { slug: check('slug', slug, given.slug), name: checkName('name', given.name) };
  const twin = { slug: data.slug + sandboxSuffix, name: `${[...data.name].slice(0, maxName - 10).join('')} (sandbox)` };
  return prisma
    .$transaction(async (transaction) => {
      const company = await transaction.company.create({ data: { ...data, ...furnishings } });
      const sandbox = await transaction.company.create({ data: { ...twin, ...furnishings, sandboxOfId: company.id } });
      return { ...company, sandbox };
    })
    .catch(duplicate('slug', `there already is a company with the slug "${data.slug}"`));
}

/**
 * Makes somebody a member of a company and of its sandbox, under one id: that of the person who signs in with their
 * e-mail address, who is made unless they are a member of another company already.
 *
 * @throws {RefusedInput} when there is no such company or it is a sandbox, the name or the e-mail address cannot be one, or
 * they are a member already
 */
export async function createUser(
  prisma: PrismaClient,
  given: { companyId: string; email: string; fullName: string; role: UserRole },
): Promise<User> {
  const { companyId, role } = given;
  const person = { email: check('email', email, given.email), fullName: checkName('full_name', given.fullName), role };
  return prisma
    .$transaction(async (transaction) => {
      const sandbox = await transaction.company.findUnique({ where: { sandboxOfId: companyId }, select: { id: true } });
      if (!sandbox) throw new RefusedInput('company_id', 'unknown', 'there is no such company with a sandbox');
      const { email, fullName } = person;
      // Waits for whoever else makes the same person just now.
      await transaction.person.createMany({ data: { email, fullName }, skipDuplicates: true });
      const { id } = await transaction.person.findUniqueOrThrow({ where: { email }, select: { id: true } });
      await transaction.user.create({ data: { ...person, companyId: sandbox.id, id } });
      return transaction.user.create({ data: { ...person, companyId, id } });
    })
    .catch(duplicate('email', `${person.email} already is a member of the company`));
}

/**
 * Trims a name and checks that it can be one: 1 to 200 characters in one line.
 *
 * @param field the column it is for, as the database names it
 * @throws {RefusedInput} when it cannot
 */
export function checkName(field: string, value: string): string {
  return check(field, name, value);
}

/** What is wrong with a name, if anything is: `is empty`. */
export const nameFault = (value: string): string | undefined => name.safeParse(value).error?.issues[0]?.message;

function check(field: string, rule: z.ZodType<string>, value: string): string {
  const { success, data, error } = rule.safeParse(value);
  if (success) return data;
  throw new RefusedInput(
    field,
    'invalid',
    `the ${field.replace('_', ' ')} ${JSON.stringify(value)} ${error.issues[0]?.message}`,
  );
}

/** Tells a unique index's refusal, which only the database can judge exactly, from any other error. */
function duplicate(field: string, message: string): (error: unknown) => never {
  return (error) => {
    const isDuplicate = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
    throw isDuplicate ? new RefusedInput(field, 'duplicate', message) : error;
  };
}
