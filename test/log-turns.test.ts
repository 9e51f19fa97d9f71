// Readers of the log of changes that take turns together: each with positions of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { TurnEnd } from '../src/background/company-turns.ts';
import { type LogPart, type LogReader, LogTurns, lockLog } from '../src/background/log-turns.ts';
import { isAfter, type LogPosition } from '../src/events/change-notifier.ts';
import type { LogPage } from '../src/events/log.ts';
import { decodePosition } from '../src/events/position.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let others: Tenant;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  [tenant, others] = [await service.tenant(), await service.tenant()];
});
afterAll(() => service.close());

/** Keeps what it reads. */
class KeepingReader implements LogReader {
  readonly looks = 1;
  /** The ids of rows, by company, in the order in which their changes were read. */
  readonly rows = new Map<string, string[]>();
  readonly positions = new Map<string, string>();
  /** Happens in its transaction, before it has a page. */
  begin: () => Promise<unknown> = async () => {};
  /** Happens once it has a page of a company. */
  work: (companyId: string) => Promise<void> = async () => {};

  constructor(
    readonly name: LogReader['name'],
    private readonly tables: readonly string[],
  ) {}

  async findPositions(companyIds: readonly string[]) {
    return companyIds.map((companyId) => ({ companyId, position: this.positions.get(companyId) ?? null }));
  }

  async findPart(companyId: string, newest: LogPosition): Promise<LogPart | TurnEnd> {
    const position = this.positions.get(companyId);
    const after = position === undefined ? undefined : decodePosition(position, 'position');
    if (after && !isAfter(newest, after)) return 'done';
    const read = async (page: () => Promise<LogPage>): Promise<TurnEnd> => {
      const { changes, next, hasMore } = await this.readLocked(companyId, page);
      await this.work(companyId);
      this.positions.set(companyId, next);
      this.rows.set(companyId, [...(this.rows.get(companyId) ?? []), ...changes.map(({ rowId }) => rowId)]);
      return hasMore ? 'more' : 'done';
    };
    return { after, tables: this.tables, read };
  }

  private async readLocked(companyId: string, page: () => Promise<LogPage>): Promise<LogPage> {
    const pages: LogPage[] = [];
    await lockLog(service.database, this.name, companyId, async () => {
      await this.begin();
      pages.push(await page());
      return 'done';
    });
    return pages[0] as LogPage; // No other instance reads.
  }
}

/** Adds rows, and logs nothing else. @returns their ids in the order of the log */
async function addRows(of: Tenant, table: 'paints' | 'vendors', count: number): Promise<string[]> {
  const name = table === 'paints' ? 'name' : 'company_name';
  await service.database.query({
    text: `INSERT INTO ${table} (company_id, id, ${name}) SELECT $1, gen_random_uuid(), n FROM generate_series(1, $2::int) AS n`,
    values: [of.company.id, count],
  });
  await waitForOlderTransactions(service.database);
  const { rows } = await service.database.query({
    text: 'SELECT row_id::text AS id FROM changes WHERE company_id = $1 AND table_name = $2 ORDER BY xid, seq',
    values: [of.company.id, table],
  });
  return rows.map(({ id }) => String(id)).slice(-count);
}

const createTurns = (...readers: LogReader[]) =>
  new LogTurns({ database: service.database, log: { warn: () => {} } }, readers);

const pagesRead = () => service.statements.filter((sql) => sql.includes('changes_after')).length;

test('a page is read once for all who are as far, and has for each what it reads', async () => {
  const [one, other] = [new KeepingReader('webhooks', ['paints']), new KeepingReader('notifications', ['vendors'])];
  const turns = createTurns(one, other);
  // What other companies began with is then read before the pages are counted.
  await waitForOlderTransactions(service.database);
  await turns.readAll();
  service.statements.length = 0;
  const paints = await addRows(tenant, 'paints', 150);
  const vendors = await addRows(tenant, 'vendors', 150);
  await turns.readAll();
  expect(one.rows.get(tenant.company.id)).toEqual(paints);
  expect(other.rows.get(tenant.company.id)).toEqual(vendors);
  // Of 100 changes each.
  expect(pagesRead()).toBe(3);
  expect(one.positions).toEqual(other.positions);
});

test('one that lags reads everything once, and does not hold back one that is farther', async () => {
  const [quick, late] = [new KeepingReader('webhooks', ['paints']), new KeepingReader('notifications', ['paints'])];
  const earlier = await addRows(tenant, 'paints', 350);
  await createTurns(quick).readAll();
  expect(quick.rows.get(tenant.company.id)).toEqual(earlier);
  const later = await addRows(tenant, 'paints', 3);
  let lateRows = 0;
  quick.work = async () => {
    lateRows = late.rows.get(tenant.company.id)?.length ?? 0;
  };
  await createTurns(late, quick).readAll();
  for (const reader of [quick, late]) expect(reader.rows.get(tenant.company.id)).toEqual([...earlier, ...later]);
  // It had what was new in the first turn.
  expect(lateRows).toBeLessThanOrEqual(100);
});

test('one that fails reads everything once when it works again, and others go on meanwhile', async () => {
  const [good, bad] = [
    new KeepingReader('notifications', ['paints']),
    new KeepingReader('webhooks', ['paints', 'vendors']),
  ];
  const paints = await addRows(tenant, 'paints', 120);
  const otherPaints = await addRows(others, 'paints', 5);
  bad.work = () => Promise.reject(new Error('It fails.'));
  const turns = createTurns(bad, good);
  await turns.readAll();
  expect(good.rows.get(tenant.company.id)).toEqual(paints);
  expect(bad.rows.size).toBe(0);
  const more = await addRows(tenant, 'paints', 10);
  bad.work = async () => {};
  await turns.readAll();
  for (const reader of [good, bad]) {
    expect(reader.rows.get(tenant.company.id)).toEqual([...paints, ...more]);
    expect(reader.rows.get(others.company.id)).toEqual(otherPaints);
  }
});

test('one that fails while it reads the page for all does not fail the others', async () => {
  const [good, bad] = [new KeepingReader('notifications', ['paints']), new KeepingReader('webhooks', ['paints'])];
  const { id: companyId } = tenant.company;
  const paints = await addRows(tenant, 'paints', 3);
  // It reads the page in its transaction, which has failed.
  bad.begin = () => service.database.prisma.$queryRaw`SELECT 1 / 0`.catch(() => {});
  await createTurns(bad, good).readAll();
  expect(bad.rows.get(companyId)).toBeUndefined();
  expect(good.rows.get(companyId)).toEqual(paints);
});

test('a slow one does not keep the others of its company waiting', async () => {
  const [quick, slow] = [new KeepingReader('notifications', ['paints']), new KeepingReader('webhooks', ['paints'])];
  const first = await addRows(tenant, 'paints', 2);
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  slow.work = async (companyId) => (companyId === tenant.company.id ? ended : undefined);
  const turns = createTurns(slow, quick);
  turns.start();
  const until = async (count: number) => {
    for (let n = 0; n < 500 && (quick.rows.get(tenant.company.id)?.length ?? 0) < count; n++) await sleep(20);
  };
  await until(2);
  const second = await addRows(tenant, 'paints', 2);
  await until(4);
  expect(slow.rows.get(tenant.company.id)).toBeUndefined();
  end();
  await turns.readAll();
  for (const reader of [quick, slow]) expect(reader.rows.get(tenant.company.id)).toEqual([...first, ...second]);
  await turns.close();
});
