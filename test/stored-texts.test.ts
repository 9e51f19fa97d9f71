// Text that is older than the rules for it: the migration to one form, what it leaves, and indexes by earlier rules.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { refreshCollations } from '../src/database/collations.ts';
import { findUnnormalized } from '../src/database/unnormalized.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
});
afterAll(() => service.close());

const composed = 'Café';
const decomposed = composed.normalize('NFD');
/** Its normal form is twice as long. */
const growing = '\u0958'.repeat(150);

const migrateAgain = async () => {
  const path = join(import.meta.dirname, '../prisma/migrations/20261125090000_normalize_text/migration.sql');
  const script = await readFile(path, 'utf8');
  await service.database.inOneTransaction(({ execute }) => execute(script));
};

test('stored text gets one form, but for what would be the same in a unique key or too long', async () => {
  const { prisma } = service.database;
  const companyId = tenant.company.id;
  const updatedAt = new Date('2020-01-01');
  const item = (name: string, sku: string | null) =>
    prisma.inventoryItem.create({ data: { companyId, name, sku, description: composed, updatedAt } });
  const [plain, alone, first, second, long] = [
    await item(composed, 'A'),
    await item(decomposed, `${decomposed} 1`),
    await item(decomposed, `${decomposed} 2`),
    await item(composed, `${composed} 2`),
    await item(growing, null),
  ];
  const program = await prisma.trainingProgram.create({ data: { companyId, title: decomposed } });
  const question = await prisma.trainingQuestion.create({
    data: {
      ...{ companyId, trainingProgramId: program.id, questionText: 'Which?', correctAnswer: decomposed },
      options: ['Tea', decomposed],
    },
  });
  const other = await service.tenant();
  await prisma.company.update({ where: { id: other.company.id }, data: { name: decomposed } });
  const usage = { companyId, userId: tenant.users[0]?.id ?? '', feature: decomposed, model: 'm', costUsd: 0 };
  await prisma.aiUsageEvent.create({ data: { ...usage, inputTokens: 1, outputTokens: 1 } });
  await prisma.person.updateMany({ where: { id: tenant.users[1]?.id }, data: { fullName: decomposed } });

  await migrateAgain();

  const stored = async ({ id }: { id: string }) => {
    const { name, sku, updatedAt: at } = await prisma.inventoryItem.findFirstOrThrow({ where: { id } });
    return { name, sku, isTouched: at > updatedAt };
  };
  expect(await Promise.all([plain, alone, first, second, long].map(stored))).toEqual([
    { name: composed, sku: 'A', isTouched: false },
    { name: composed, sku: `${composed} 1`, isTouched: true },
    { name: composed, sku: `${decomposed} 2`, isTouched: true },
    { name: composed, sku: `${composed} 2`, isTouched: false },
    { name: growing, sku: null, isTouched: false },
  ]);
  expect(await prisma.trainingQuestion.findFirstOrThrow({ where: { id: question.id } })).toMatchObject({
    correctAnswer: composed,
    options: ['Tea', composed],
  });
  expect((await prisma.company.findUniqueOrThrow({ where: { id: other.company.id } })).name).toBe(composed);
  expect((await prisma.aiUsageEvent.findFirstOrThrow({ where: { companyId } })).feature).toBe(composed);
  expect((await prisma.person.findFirstOrThrow({ where: { id: tenant.users[1]?.id } })).fullName).toBe(composed);

  // Copies of the rows learn it from the log.
  const changes = await prisma.change.findMany({ where: { companyId, action: 'UPDATE' }, orderBy: { seq: 'asc' } });
  expect(changes.map(({ rowId, fields }) => [rowId, fields])).toEqual(
    expect.arrayContaining([
      [alone.id, ['name', 'sku']],
      [first.id, ['name']],
    ]),
  );
  expect(changes.map(({ rowId }) => rowId)).not.toContain(plain.id);

  const { slug: company } = tenant.company;
  const table = 'inventory_items';
  expect(await findUnnormalized(service.database, ['InventoryItem', 'TrainingQuestion'])).toEqual([
    { company, table, column: 'name', rowId: long.id },
    { company, table, column: 'sku', rowId: first.id },
  ]);
  // It stays possible to find the row, and to give it another value.
  const client = await tenant.client();
  const { rows } = await client.get('/inventory', { search: composed, 'sku[contains]': ' 2' });
  expect(rows.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
  expect((await client.patch(`/inventory/${first.id}`, { sku: `${decomposed} 3` })).row).toMatchObject({
    sku: `${composed} 3`,
  });
});

test('indexes by an earlier version of a collation are built again, or reported', async () => {
  const { database } = service;
  expect(await refreshCollations(database)).toEqual([]);
  await database.query({ text: `UPDATE pg_collation SET collversion = '1.0' WHERE collname = 'und-x-icu'` });
  const accept = 'ALTER COLLATION pg_catalog."und-x-icu" REFRESH VERSION';
  const statements = await refreshCollations(database);
  expect(statements).toEqual(
    database.kind === 'embedded' ? [] : [expect.stringMatching(/^REINDEX DATABASE "?\w+"?$/), accept],
  );
  for (const statement of statements) await database.query({ text: statement });
  expect(await refreshCollations(database)).toEqual([]);
});
