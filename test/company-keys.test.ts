// What makes a company a part of the database of its own: keys and order never reach across companies.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import ts from 'typescript';
import { findUnbound } from './support/company-conditions.ts';
import { testDatabase } from './support/database.ts';

const database = await testDatabase();
afterAll(() => database.close());

const namesOf = async (text: string) => (await database.query({ text })).rows.map(({ name }) => String(name));

/** The tables whose rows belong to a company, and the number of the column that says which. */
const companyColumns = `
  SELECT attrelid, attnum FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
   WHERE attname = 'company_id' AND relkind = 'r' AND relnamespace = current_schema()::regnamespace`;

test('every unique key of rows of companies contains the company, except where a row is found without it', async () => {
  const found = await namesOf(`
    SELECT indexrelid::regclass::text AS name FROM pg_index JOIN (${companyColumns}) AS company ON attrelid = indrelid
     WHERE indisunique AND attnum <> ALL (indkey::int2[]) ORDER BY 1`);
  const secrets = [
    // A secret says which row is meant, and the row says which company.
    'api_tokens_hash_key',
    'calendar_feeds_token_hash_key',
    'expected_packages_token_hash_key',
    'guest_mails_token_hash_key',
    'invitations_mailed_token_hash_key',
    'invitations_token_hash_key',
    'sessions_token_key',
  ];
  const ofSomeCompany = [
    // A person signs in once for all companies, and a session may not have one yet.
    'sessions_pkey',
    // The hash of a caller, of whom a guest has no company, and the key.
    'idempotency_keys_pkey',
    // What happened to a person or to a deleted company has none.
    'security_events_pkey',
  ];
  expect(found).toEqual([...secrets, ...ofSomeCompany].toSorted());
});

test('every foreign key of rows of companies contains the company, except those to people', async () => {
  const found = await namesOf(`
    SELECT conname AS name FROM pg_constraint JOIN (${companyColumns}) AS company ON attrelid = conrelid
     WHERE contype = 'f' AND attnum <> ALL (conkey) ORDER BY 1`);
  // People belong to no company.
  expect(found).toEqual(['sessions_person_id_fkey', 'users_id_fkey']);
});

test('every foreign key to rows of companies contains the company', async () => {
  const found = await namesOf(`
    SELECT conname AS name FROM pg_constraint JOIN (${companyColumns}) AS company ON attrelid = confrelid
     WHERE contype = 'f' AND attnum <> ALL (confkey) ORDER BY 1`);
  expect(found).toEqual([]);
});

const sources = join(import.meta.dirname, '..', 'src');
const files = (readdirSync(sources, { recursive: true }) as string[]).filter(
  (file) => file.endsWith('.ts') && !file.includes('generated'),
);

/** The texts of the templates in a file, with a parameter for each value. */
function templatesIn(file: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node))
      texts.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('$1'));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(join(sources, file), 'utf8'), ts.ScriptTarget.Latest));
  return texts;
}

/** Whether a statement sorts rows of several companies by something else than first their company. */
function sortsAcrossCompanies(sql: string): boolean {
  const sorts = /\bORDER BY (?!(\w+\.)?company_id\b)/.test(sql);
  return sorts && findUnbound(sql).length > 0 && !/\bcompany_id =/.test(sql);
}

test('no statement sorts the rows of several companies, except where their order means nothing', () => {
  const found = files.filter((file) => templatesIn(file).some(sortsAcrossCompanies));
  expect(found.toSorted()).toEqual([
    // Locks people, who belong to no company, always in the same order.
    'auth/company-import.ts',
    // Of one company, by a condition from elsewhere.
    'background/notifications/due-mail.ts',
    // Of one webhook.
    'background/stored-files.ts',
    'background/webhooks/deliveries.ts',
    // Counts the oldest jobs of the whole installation.
    'events/backlog.ts',
    // Finds the companies that wrote, by steps on an index of one server.
    'events/changed-companies.ts',
    // Of one company, by a condition that several statements share.
    'events/deleted-rows.ts',
    // Deletes what is old, a part at a time.
    'idempotency.ts',
    // Of one company, by a condition from elsewhere.
    'schema/desk/occupancy.ts',
  ]);
});
