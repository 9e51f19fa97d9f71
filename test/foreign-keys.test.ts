import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { testDatabase } from './support/database.ts';

const database = await testDatabase();
afterAll(() => database.close());

const rowsOf = async (text: string, values?: unknown[]) => (await database.query({ text, values })).rows;
const createCompany = () => database.prisma.company.create({ data: { name: 'Acme', slug: randomUUID() } });

describe('the database separates companies', () => {
  interface ForeignKey {
    name: string;
    table: string;
    target: string;
    /** The foreign keys and their targets. */
    columns: string[];
    targetColumns: string[];
  }

  /** Every foreign key between tenants' tables. */
  const foreignKeys = async () =>
    (await rowsOf(`
      SELECT conname AS name, conrelid::regclass::text AS "table", confrelid::regclass::text AS target,
             array(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY AS key(n, i)
                   JOIN pg_attribute ON attrelid = conrelid AND attnum = key.n ORDER BY i) AS columns,
             array(SELECT attname::text FROM unnest(confkey) WITH ORDINALITY AS key(n, i)
                   JOIN pg_attribute ON attrelid = confrelid AND attnum = key.n ORDER BY i) AS "targetColumns"
        FROM pg_constraint
       WHERE contype = 'f' AND confrelid NOT IN ('companies'::regclass, 'people'::regclass) -- which are in no company
         AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = conrelid AND attname = 'company_id')
       ORDER BY 1`)) as unknown as ForeignKey[];

  test('the sub-resources of requests belong to exactly one request', async () => {
    const { id: companyId } = await createCompany();
    const ann = { fullName: 'Ann', email: 'a@example.com' };
    const { id } = await database.prisma.person.create({ data: ann });
    const user = await database.prisma.user.create({ data: { ...ann, companyId, id } });
    const request = { companyId, title: 'Lamp', createdBy: user.id };
    const { id: serviceRequestId } = await database.prisma.serviceRequest.create({ data: request });
    const { id: moveRequestId } = await database.prisma.moveRequest.create({ data: request });
    const remark = { companyId, comment: 'Soon', userId: user.id };
    const { comment } = database.prisma;
    await expect(comment.create({ data: remark })).rejects.toThrow('comments_one_request');
    await expect(comment.create({ data: { ...remark, serviceRequestId, moveRequestId } })).rejects.toThrow(
      'comments_one_request',
    );
    await comment.create({ data: { ...remark, moveRequestId } });
  });

  test('no reference leads to another company', async () => {
    const keys = await foreignKeys();
    expect(keys.length).toBeGreaterThan(20);
    // Rows are generated from the catalog, without regard to checks and unique indexes; only references between
    // tenants' tables matter here.
    for (const { sql } of await rowsOf(
      `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS sql
         FROM pg_constraint WHERE (contype = 'c' AND conrelid <> 0) OR confrelid = 'people'::regclass
        UNION ALL
       SELECT format('DROP INDEX %s', indexrelid::regclass)
         FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relnamespace = 'public'::regnamespace AND indisunique AND NOT indisprimary`,
    )) {
      await database.query({ text: String(sql) });
    }
    const columns = await rowsOf(`
      SELECT table_name AS "table", column_name AS name, format_type(atttypid, atttypmod) AS type,
             (SELECT enumlabel::text FROM pg_enum WHERE enumtypid = atttypid ORDER BY enumsortorder LIMIT 1) AS label
        FROM information_schema.columns
        JOIN pg_attribute ON attrelid = table_name::regclass AND attname = column_name
       WHERE table_schema = 'public' AND is_nullable = 'NO' AND column_default IS NULL`);

    /** A value for a required column. */
    const madeUp = (type: unknown, label: unknown) => {
      if (label !== null) return label;
      if (type === 'uuid') return randomUUID();
      if (type === 'bytea') return Buffer.from(randomUUID());
      if (type === 'boolean') return false;
      const [, length = 8] = /^(?:text|character varying)(?:\((\d+)\))?/.exec(String(type)) ?? [];
      if (/^(text|character)/.test(String(type))) return randomUUID().slice(0, Math.min(8, Number(length)));
      return /^(date|timestamp)/.test(String(type)) ? '2026-01-01' : 1;
    };

    /** Inserts a company's row with only required and given columns. */
    async function insert(table: string, companyId: string, given: Record<string, unknown>) {
      const row: Record<string, unknown> = {};
      for (const { name, type, label } of columns.filter((column) => column.table === table)) {
        row[String(name)] = madeUp(type, label);
      }
      Object.assign(row, { company_id: companyId }, given);
      for (const key of keys.filter((key) => key.table === table)) {
        const missing = key.columns.some((column) => column in row && !(column in given) && column !== 'company_id');
        if (missing) Object.assign(row, await reference(key, companyId));
      }
      const names = Object.keys(row);
      const { rows } = await database.query({
        text: `INSERT INTO ${table} ("${names.join('","')}") VALUES (${names.map((_, i) => `$${i + 1}`).join()}) RETURNING *`,
        values: Object.values(row),
      });
      return rows[0] ?? {};
    }

    const made = new Map<string, Promise<Record<string, unknown>>>();
    /** The columns that refer to a company's row, except to the company itself. */
    async function reference({ target, columns: from, targetColumns }: ForeignKey, companyId: string) {
      const known = made.get(target + companyId) ?? insert(target, companyId, {});
      made.set(target + companyId, known);
      const row = await known;
      const pairs = from.map((column, i) => [column, row[targetColumns[i] ?? '']]);
      return Object.fromEntries(pairs.filter(([column]) => column !== 'company_id'));
    }

    const [ours, theirs] = [(await createCompany()).id, (await createCompany()).id];
    for (const key of keys) {
      const across = insert(key.table, ours, await reference(key, theirs));
      await expect(across).rejects.toMatchObject({ code: '23503', constraint: key.name });
      await insert(key.table, ours, await reference(key, ours));
    }
  });
});
