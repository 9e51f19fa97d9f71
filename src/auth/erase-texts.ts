import { Prisma } from '../database/generated/client/client.ts';

/** Texts that identify a person, also former ones, and what replaces them. */
export interface ErasedTexts {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly name: string;
  readonly address: string;
}

/**
 * Replaces a person's names and addresses where they name something in a company and its sandbox: tokens, webhooks,
 * saved queries, the company's email settings, and packages that they expected as guests. Texts that people wrote about
 * the company's business stay.
 */
export async function eraseTexts(
  transaction: Prisma.TransactionClient,
  companyId: string,
  texts: ErasedTexts,
): Promise<void> {
  const replace = createReplacement(texts, (text) => text);
  const companies = Prisma.sql`(SELECT id FROM companies WHERE ${companyId}::uuid IN (id, sandbox_of_id))`;
  const addresses = texts.addresses.map((address) => address.toLowerCase());
  const name = Prisma.sql`left(${replace('name')}, 200)`;
  await transaction.$executeRaw`
    UPDATE api_tokens SET name = ${name} WHERE company_id IN ${companies} AND name ~* ${patternOf(texts)}`;
  await transaction.$executeRaw`
    UPDATE webhooks SET name = ${name}, filter = ${replace('filter')}
    WHERE company_id IN ${companies} AND concat_ws(' ', name, filter) ~* ${patternOf(texts)}`;
  await transaction.$executeRaw`
    UPDATE saved_queries SET name = ${name}, query = ${replace('query')}, variables = ${replace('variables')}
    WHERE company_id IN ${companies} AND concat_ws(' ', name, query, variables) ~* ${patternOf(texts)}`;
  await transaction.$executeRaw`
    UPDATE expected_packages SET guest_name = ${texts.name}, guest_email = ${texts.address}
    WHERE company_id IN ${companies} AND lower(guest_email) = ANY (${addresses})`;
  await transaction.$executeRaw`
    UPDATE companies SET email_reply_to = NULL
    WHERE id IN ${companies} AND lower(email_reply_to) = ANY (${addresses})`;
  await transaction.$executeRaw`
    UPDATE companies SET email_sender_name = NULL
    WHERE id IN ${companies} AND email_sender_name ~* ${patternOf(texts)}`;
  // The log contains the values before these updates, and earlier ones.
  const image = createReplacement(texts, escapeInJson);
  await transaction.$executeRaw`
    UPDATE changes SET before = ${image('before::text')}::jsonb, after = ${image('after::text')}::jsonb
    WHERE company_id IN ${companies} AND table_name IN ('saved_queries', 'companies')
      AND ${isInJson(texts, 'concat(before, after)')}`;
  const guest = Prisma.sql`${{ guest_name: texts.name, guest_email: texts.address }}::jsonb`;
  await transaction.$executeRaw`
    UPDATE changes SET before = before || ${guest}, after = after || ${guest}
    WHERE company_id IN ${companies} AND table_name = 'expected_packages'
      AND lower(coalesce(before ->> 'guest_email', after ->> 'guest_email')) = ANY (${addresses})`;
}

/** Creates the SQL condition that the JSON of a column has one of the texts. */
export const isInJson = (texts: ErasedTexts, column: string): Prisma.Sql =>
  Prisma.sql`${Prisma.raw(column)} ~* ${patternOf(texts, escapeInJson)}`;

/** Creates SQL that replaces the texts in the JSON of a column. */
export const replaceInJson = (texts: ErasedTexts, column: string): Prisma.Sql =>
  createReplacement(texts, escapeInJson)(column);

/** Returns a function that creates SQL which replaces the texts in a column. @param escape spells a text there */
function createReplacement({ names, addresses, name, address }: ErasedTexts, escape: (text: string) => string) {
  // Addresses first, as a name can be part of one.
  const pairs = [...addresses.map((text) => [text, address]), ...names.map((text) => [text, name])];
  return (column: string): Prisma.Sql =>
    pairs.reduce(
      (sql, [text = '', by]) => Prisma.sql`regexp_replace(${sql}, ${wholeWords([escape(text)])}, ${by}, 'gi')`,
      Prisma.raw(column),
    );
}

/** The regular expression, in PostgreSQL's syntax, that finds any of the texts. */
const patternOf = ({ names, addresses }: ErasedTexts, escape = (text: string) => text): string =>
  wholeWords([...addresses, ...names].map(escape));

/** Finds texts that are not part of longer words. */
const wholeWords = (texts: readonly string[]): string =>
  `(?<![[:alnum:]])(?:${texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})(?![[:alnum:]])`;

const escapeInJson = (text: string): string => JSON.stringify(text).slice(1, -1);
