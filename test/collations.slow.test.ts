// Servers whose collations changed, or that have none of ICU, and databases of any locale.
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../src/database/index.ts';
import { migrate } from '../src/database/migrate.ts';
import type { Row } from './support/client.ts';
import { valuesFor } from './support/placeholders.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { startService } from './support/service.ts';
import { onServer, urlOf } from './support/template.ts';

afterAll(killAll);

const describeOnPostgresql = process.env.TEST_DATABASE_URL ? describe : describe.skip;
const warning = 'the rules of a collation changed, so that lists and searches may miss rows; see docs/operations.md';

/**
 * Expects lists and searches of many rows to be read by the indexes for them.
 *
 * @param knowsLetters whether the extension of the indexes for searches knows letters beyond ASCII
 */
async function expectIndexes(databaseUrl: string, knowsLetters: boolean): Promise<void> {
  const service = await startService({}, async (options) => {
    const database = await openDatabase({ databaseUrl, dataDir: '' }, options);
    await migrate(database);
    return database;
  });
  try {
    const tenant = await service.tenant();
    const client = await tenant.client();
    const { id } = tenant.company;
    for (const name of ['Oil the SQUEAKY hinge', 'Schlüssel', 'ITIR İzmir', 'Ключ'])
      await client.post('/inventory', { name, sku: name });
    await onServer(
      `INSERT INTO inventory_items (company_id, id, name, description, sku)
       SELECT '${id}', gen_random_uuid(), 'Lamp ' || n, 'Of room ' || md5(n::text), 'a-' || n
         FROM generate_series(1, 3000) AS n`,
      databaseUrl,
    );
    await onServer('VACUUM ANALYZE inventory_items', databaseUrl);
    /** The rows of a list, and how often its page and its total, which are one statement, use an index. */
    const count = async (query: Row, index: string) => {
      service.statements.length = 0;
      const { meta } = await client.get('/inventory', { ...query, limit: 2 });
      const sql = service.statements.find((statement) => statement.includes('"inventory_items" AS')) ?? '';
      const values = valuesFor(sql, (type) => (type === 'uuid' ? id : `%${String(query['search'])}%`));
      const { rows } = await service.database.query({ text: `EXPLAIN ${sql}`, values });
      return { total: meta.total, uses: JSON.stringify(rows).split(index).length - 1 };
    };
    const ofSearch = 'inventory_items_search_idx';
    // Once for each of the three columns that are searched.
    for (const search of ['squeaky hinge', 'OIL', 'SCHLÜSSEL', 'itir', 'ıtır', ...(knowsLetters ? ['КЛЮЧ'] : [])])
      expect([search, await count({ search }, ofSearch)]).toEqual([search, { total: 1, uses: 6 }]);
    expect(await count({ search: 'КЛЮЧ' }, ofSearch)).toMatchObject({ total: 1 });
    const sorted = await count({ sort: 'sku', order: 'asc' }, 'inventory_items_company_id_sku_id_idx');
    expect(sorted).toEqual({ total: 3004, uses: 1 });
  } finally {
    await service.close();
  }
}

describeOnPostgresql('a database', () => {
  /** Creates a database and runs some work with its address. */
  async function inDatabase(name: string, options: string, work: (url: string) => Promise<void>): Promise<void> {
    const database = `premises_${name}_${process.pid}`;
    await onServer(`CREATE DATABASE ${database} ENCODING 'UTF8' ${options} TEMPLATE template0`);
    try {
      await work(urlOf(database));
    } finally {
      await onServer(`DROP DATABASE ${database} WITH (FORCE)`);
    }
  }

  /** What a start warns of. */
  async function warningsOf(url: string): Promise<Row[]> {
    const service = await (await ServiceProcess.start({ DATABASE_URL: url })).ready();
    await service.stop();
    return service.log.filter(({ msg }) => msg === warning);
  }

  test('with indexes by an earlier version of a collation is reported, until they were built again', () =>
    inDatabase('moved', '', async (url) => {
      expect(await warningsOf(url)).toEqual([]);
      await onServer(`UPDATE pg_collation SET collversion = '1.0' WHERE collname = 'und-x-icu'`, url);
      const [found, ...others] = await warningsOf(url);
      expect([found, others]).toEqual([
        expect.objectContaining({
          level: 40,
          statements: [
            expect.stringMatching(/^REINDEX DATABASE "?premises_moved_\d+"?$/),
            'ALTER COLLATION pg_catalog."und-x-icu" REFRESH VERSION',
          ],
        }),
        [],
      ]);
      for (const statement of found?.['statements'] as string[]) await onServer(statement, url);
      expect(await warningsOf(url)).toEqual([]);
    }));

  test('of a server without ICU is refused, and left empty', () =>
    inDatabase('no_icu', '', async (url) => {
      // A server that was built without ICU imports none of its collations.
      await onServer(`DELETE FROM pg_collation WHERE collprovider = 'i'`, url);
      const service = await ServiceProcess.start({ DATABASE_URL: url });
      expect(await service.ended).toBe(1);
      expect(service.stderr).toContain('has no collation "und-x-icu", by which Premises sorts text');
      const { rows } = await onServer(`SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`, url);
      expect(rows).toEqual([]);
    }));

  test.each([
    ['C', `LOCALE 'C'`],
    ['Turkish, by ICU', `LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR'`],
    ['German, upper case first', `LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'de-DE-u-kf-upper'`],
  ])('in the locale %s sorts and finds text as any other, by its indexes', (name, options) =>
    inDatabase(name.replace(/\W/g, '').toLowerCase().slice(0, 4), options, async (url) => {
      const service = await (await ServiceProcess.start({ DATABASE_URL: url })).ready({ greeting: true });
      const client = service.client();
      const names = ['äpfel', 'apple', 'Apple', 'Zebra', 'Ägypten', 'ISTANBUL', 'istanbul', 'İzmir', 'straße', 'TITLE'];
      for (const name of names) await client.post('/notes/categories', { name });
      const found = async (query: Row) => (await client.get('/notes/categories', query)).rows.map(({ name }) => name);
      const among = names.join();
      expect(await found({ name: among, sort: 'name', order: 'asc' })).toEqual([
        'Ägypten',
        'äpfel',
        'apple',
        'Apple',
        'istanbul',
        'ISTANBUL',
        'İzmir',
        'straße',
        'TITLE',
        'Zebra',
      ]);
      const search = async (text: string) => (await found({ search: text, name: among })).sort();
      expect(await search('ÄPFEL')).toEqual(['äpfel']);
      expect(await search('istan')).toEqual(['ISTANBUL', 'istanbul']);
      expect(await search('title')).toEqual(['TITLE']);
      expect(await search('STRASSE')).toEqual(['straße']);
      // The upper case of "admin" has no dot.
      expect((await client.post('/hr/documents', { title: 'Handbook', category: 'handbook' })).status).toBe(201);
      // Who is erased is found in any case, too.
      const { rows: companies } = await onServer('SELECT id, slug FROM companies WHERE sandbox_of_id IS NULL', url);
      const { id, slug } = companies[0] as { id: string; slug: string };
      const guest = { company_slug: slug, guest_name: 'Iris', guest_email: 'IRIS@INN.EXAMPLE' };
      expect((await service.client('').post('/public/expected-packages', guest)).status).toBe(201);
      const person = randomUUID();
      await onServer(
        `INSERT INTO people (id, email, full_name) VALUES ('${person}', 'iris@inn.example', 'Iris');
         INSERT INTO users (company_id, id, email, full_name, role, deactivated_at)
         VALUES ('${id}', '${person}', 'iris@inn.example', 'Iris', 'member', now());
         SELECT erase_user('${id}', '${person}', NULL, NULL, NULL)`,
        url,
      );
      const { rows } = await onServer(`SELECT FROM expected_packages WHERE guest_name = 'Iris'`, url);
      expect(rows).toEqual([]);
      await service.stop();
      await expectIndexes(url, false);
    }),
  );

  test('in a locale of all letters finds them by its indexes', () =>
    inDatabase('letters', `LOCALE 'C.UTF-8'`, (url) => expectIndexes(url, true)));
});
