// What the compiled statements read and write in the demo company, compared with Prisma, for random arguments.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, wholeCompany } from '../src/database/index.ts';
import type { Row } from '../src/database/read/find.ts';
import { lowerFirst } from '../src/names.ts';
import { violationOf } from '../src/resource/index.ts';
import { createDemo } from '../src/seed/index.ts';
import { testDatabase } from './support/database.ts';
import { prismaReader } from './support/prisma-reader.ts';
import { RandomReads, readModels } from './support/random-reads.ts';

/** Prisma's methods of a model. */
interface PrismaTable {
  create(args: { data: Row }): Promise<Row>;
  update(args: { where: Row; data: Row }): Promise<Row>;
  delete(args: { where: Row }): Promise<Row>;
}

/** The models whose rows the kit writes; the demo has none of the others. */
const writtenModels = readModels.filter(
  (name) =>
    !/^(Invitation|Notification.*|Saved.*|CalendarFeed|SecurityEvent|StatusPeriod|Change.*|ClockMark|Webhook.*)$/.test(
      name,
    ),
);

/** The columns of a row's primary key. */
const keyOf = (row: Row): string[] =>
  'id' in row ? ['companyId', 'id'].filter((name) => name in row) : ['companyId', 'month', 'feature'];

/** A row without the times and the id that it was not given. */
const withoutDefaults = (row: unknown, given: Row): unknown =>
  row && typeof row === 'object'
    ? Object.fromEntries(Object.entries(row).filter(([name, value]) => name in given || !(value instanceof Date)))
    : row;

/**
 * Gives the columns the order by which the compiled statements sort texts, as Prisma has no such option. Those that a
 * generated column reads stay as they are: their values are in the same order.
 */
const withTextOrder = ({ query }: Database) =>
  query({
    text: `DO $$
    DECLARE texts record;
    BEGIN
      DROP TRIGGER reschedule_saved_queries ON companies; -- it names a column, which would keep its type
      FOR texts IN
        SELECT attrelid::regclass AS name, attname, format_type(atttypid, atttypmod) AS type
          FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
         WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attgenerated = ''
           AND atttypid IN ('text'::regtype, 'varchar'::regtype) AND attname <> 'tracking_number'
      LOOP
        EXECUTE format('ALTER TABLE %s ALTER %I TYPE %s COLLATE "und-x-icu"', texts.name, texts.attname, texts.type);
      END LOOP;
    END $$`,
  });

let database: Database;
/** Rows of each model. */
const samples: Record<string, Row[]> = {};
beforeAll(async () => {
  database = await testDatabase();
  await createDemo(database, { serviceRequests: 360 });
  for (const each of readModels) samples[each] = await prismaReader(database.prisma).findMany(each, { take: 20 });
});
afterAll(() => database.close());

describe('written by the compiled statements and by Prisma', () => {
  const seed = Number(process.env.WRITES_SEED ?? Date.now() % 1_000_000);
  /** What a write returns, or why it is refused; it is rolled back. */
  async function outcome(write: () => Promise<Row | null>): Promise<unknown> {
    let row: Row | null = null;
    const done = new Error('Done.');
    const failure: unknown = await database
      .transaction(async () => {
        row = await write();
        throw done;
      })
      .catch((error: unknown) => error);
    if (failure === done) return row;
    const kind = violationOf(failure)?.kind;
    if (kind) return kind;
    // The code of PostgreSQL's violated check, which Prisma quotes in its message.
    expect(String((failure as { code?: unknown }).code) + String(failure)).toContain('23514');
    return 'check';
  }

  test.each(writtenModels)(`%s stores the same row, seed ${seed}`, async (model) => {
    const { prisma } = database;
    const writer = database.writerOf();
    const table = (prisma as unknown as Record<string, PrismaTable>)[lowerFirst(model)] as PrismaTable;
    const random = new RandomReads(seed + readModels.indexOf(model) * 1000, samples);
    const known = samples[model] ?? [];
    // A new resource has no rows in the demo yet; those that have some are listed in demo.test.ts.
    if (known.length === 0) return;
    for (let i = 0; i < 3; i++) {
      const data = { id: randomUUID(), createdAt: new Date(0), updatedAt: new Date(0), ...random.newRow(model) };
      const columns = Object.fromEntries(Object.entries(data).filter(([name]) => name in (known[0] as Row)));
      const created = await outcome(() => writer.create(model, columns));
      const expected = await outcome(() => table.create({ data: columns }));
      // The default of other times is that of the write.
      expect(withoutDefaults(created, columns)).toEqual(withoutDefaults(expected, columns));

      const row = known[i % known.length] as Row;
      const key = Object.fromEntries(keyOf(row).map((name) => [name, row[name]]));
      const where = keyOf(row).length > 1 ? { [keyOf(row).join('_')]: key } : key;
      const changes = Object.fromEntries(Object.entries(columns).filter(([name]) => !(name in key)));
      expect(await outcome(() => writer.update(model, key, changes))).toEqual(
        await outcome(() => table.update({ where, data: changes })),
      );
      expect(await outcome(() => writer.delete(model, key))).toEqual(await outcome(() => table.delete({ where })));
    }
  });

  test('a request stores its activity, and an order replaces its lines', async () => {
    const { prisma } = database;
    const writer = database.writerOf();
    const [request] = samples['ServiceRequest'] as [Row];
    const { companyId, createdBy } = request as { companyId: string; createdBy: string };
    const activity = {
      create: [
        { action: 'CREATED' as const, userId: createdBy },
        { action: 'UPDATED' as const, userId: createdBy },
      ],
    };
    const entries = async () => {
      const { id } = await writer.create('ServiceRequest', { companyId, createdBy, title: 'New', activity });
      await writer.update('ServiceRequest', { companyId, id }, { title: 'Changed', activity });
      const where = { companyId, serviceRequestId: String(id) };
      const stored = await prisma.activityEntry.findMany({ where, orderBy: { id: 'asc' } });
      return { actions: stored.map(({ action, userId }) => [action, userId]) };
    };
    expect(await outcome(entries)).toEqual({
      actions: ['CREATED', 'UPDATED', 'CREATED', 'UPDATED'].map((action) => [action, createdBy]),
    });
    const [line] = samples['PurchaseOrderLine'] as [Row];
    const { purchaseOrderId: orderId } = line as { purchaseOrderId: string };
    const lines = async () => {
      const create = [2, 1].map((position) => ({
        ...line,
        id: undefined,
        purchaseOrderId: undefined,
        companyId: undefined,
        position,
      }));
      await writer.update(
        'PurchaseOrder',
        { companyId: line['companyId'], id: orderId },
        { lineItems: { deleteMany: {}, create } },
      );
      const stored = await prisma.purchaseOrderLine.findMany({
        where: { purchaseOrderId: orderId },
        orderBy: { id: 'asc' },
      });
      return { positions: stored.map(({ position }) => position) };
    };
    expect(await outcome(lines)).toEqual({ positions: [2, 1] });
  });
});

describe('read by the compiled statements and by Prisma', () => {
  // After the writes: triggers cannot compare texts of such a column with those of a table beside it.
  beforeAll(() => withTextOrder(database));
  const seed = Number(process.env.READS_SEED ?? Date.now() % 1_000_000);
  const reads = Number(process.env.READS ?? 4);

  test.each(readModels)(`%s gives the same rows, seed ${seed}`, async (model) => {
    const { prisma } = database;
    const oracle = prismaReader(prisma);
    const random = new RandomReads(seed + readModels.indexOf(model) * 1000, samples);
    const companyIds = (samples['Company'] ?? []).map(({ id }) => String(id));
    expect(companyIds.length).toBeGreaterThan(1);
    for (let i = 0; i < reads; i++) {
      const companyId = random.pick(companyIds);
      const reader = database.readerOf(wholeCompany(companyId));
      // Below a row, its references keep to the company; Prisma has to be told the company of the rows themselves.
      const own = model === 'Company' ? { id: companyId } : { companyId };
      const args = random.args(model);
      const planned = { ...args, plan: args.select ?? {} };
      // The statement of the plan was made for another company.
      await database.readerOf(wholeCompany(randomUUID())).findMany(model, planned);
      expect({ args, rows: await reader.findMany(model, planned) }).toEqual({
        args,
        rows: await oracle.findMany(model, { ...args, where: { AND: [own, args.where ?? {}] } }),
      });
      const where = random.where(model, 2);
      const { rows, total } = await reader.findWithTotal(model, args, where);
      const count = await oracle.count(model, { AND: [own, where] });
      expect({ where, count: await reader.count(model, where), total }).toEqual({
        where,
        count,
        total: rows.length > 0 ? count : undefined,
      });
    }
  });
});
