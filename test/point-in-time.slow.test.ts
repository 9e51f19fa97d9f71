// A server is restored to a point in time from a base backup and its WAL, as docs/operations.md says.
// It needs PostgreSQL's server programs and pgBackRest, as it starts servers of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../src/database/index.ts';
import { publicOrigin, signInAll } from './support/browser.ts';
import type { Client, Row } from './support/client.ts';
import { BackupRepository, hasPgBackRest } from './support/pgbackrest.ts';
import { PostgresServer, programs } from './support/postgresql.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { insertTenant } from './support/tenant.ts';
import { until } from './support/until.ts';
import { dataOf, Receiver } from './support/webhooks.ts';

const missing = [
  ...(process.env.TEST_DATABASE_URL ? [] : ['it runs once, with the tests of PostgreSQL']),
  ...(programs ? [] : ["PostgreSQL's server programs are missing"]),
  ...(hasPgBackRest ? [] : ['pgBackRest is missing']),
];

const name = 'premises';
const env = { DEMO: 'false', PUBLIC_URL: publicOrigin, WEBHOOK_ALLOW_HOSTS: '127.0.0.1' };

(missing.length === 0 ? describe : describe.skip)(['recovery', ...missing].join(': '), () => {
  let server: PostgresServer;
  let restored: PostgresServer | undefined;
  let repository: BackupRepository;
  let receiver: Receiver;
  beforeAll(async () => {
    [server, receiver] = await Promise.all([PostgresServer.start(), Receiver.start()]);
    await server.sql(`CREATE DATABASE ${name}`);
    repository = await BackupRepository.of(server);
  });
  afterAll(async () => {
    await killAll();
    await receiver.close();
    await Promise.all([server.remove(), restored?.remove()]);
    await repository.remove();
  });

  const paint = async (client: Client, title: string) =>
    String((await client.post('/paints', { name: title })).row['id']);
  const namesOf = async (client: Client) =>
    (await client.get('/paints')).rows.map((row) => String(row['name'])).toSorted();
  const feed = (client: Client, after?: string) => client.get('/changes', after === undefined ? {} : { after });
  const idsOf = async (client: Client, after?: string) =>
    ((await feed(client, after)).row['changes'] as Row[]).map(({ row_id }) => String(row_id));
  /** The position of a reader who has read a change of a row. */
  async function positionAfter(client: Client, id: string): Promise<string> {
    await until('the feed', async () => (await idsOf(client)).includes(id));
    return String((await feed(client)).row['next']);
  }
  const messages = () => receiver.received.map(({ message }) => dataOf(message)['row_id']);

  test('has what was before the time, nothing of after, and tells who has read that', async () => {
    const service = await (await ServiceProcess.start({ ...env, DATABASE_URL: server.url(name) })).ready();
    const database = await openDatabase({ databaseUrl: server.url(name), dataDir: '' });
    const tenant = await insertTenant(service.origin, database, 'acme');
    const client = await tenant.client();
    const { admin } = await signInAll({ origin: service.origin, database }, tenant);
    await database.close();
    const input = { name: 'CRM', url: receiver.url, resources: ['PAINTS'], actions: ['CREATE'] };
    const { errors } = await admin.graphql(
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }',
      { input },
    );
    expect(errors).toEqual([]);

    const ids = [await paint(client, 'In the backup')];
    await repository.run('backup', '--type=full');
    ids.push(await paint(client, 'In the WAL alone'));
    await until('webhooks', () => messages().length === 2);
    const early = await positionAfter(client, ids[1] ?? '');
    // What the webhook has sent is stored after it was answered.
    const delivered = `SELECT FROM webhook_deliveries WHERE status = 'pending'`;
    await until('deliveries', async () => (await server.sql(delivered, name)).length === 0);
    // Backups are chosen by the second.
    await sleep(2000);
    const [at] = await server.sql('SELECT clock_timestamp()::text AS time');
    const lost = await paint(client, 'After the time');
    await server.sql(`DELETE FROM paints WHERE name <> 'After the time'`, name); // the accident
    const late = await positionAfter(client, lost);
    await until('webhooks', () => messages().length === 3);
    expect(await namesOf(client)).toEqual(['After the time']);
    const [wal] = await server.sql('SELECT pg_walfile_name(pg_switch_wal()) AS name');
    await until('the archive', async () => {
      const [archiver] = await server.sql('SELECT last_archived_wal AS name FROM pg_stat_archiver');
      return String(archiver?.['name']) >= String(wal?.['name']);
    });
    expect(await service.stop()).toBe(0);
    await server.kill();

    restored = await PostgresServer.serve('restored', (data) =>
      repository.run(
        'restore',
        ...[`--pg1-path=${data}`, '--type=time', `--target=${String(at?.['time'])}`],
        ...['--target-action=promote', '--archive-mode=off'],
      ),
    );
    const { url } = restored;
    await until('the end of the recovery', async () => {
      const [recovery] = (await restored?.sql('SELECT pg_is_in_recovery() AS runs')) ?? [];
      return recovery?.['runs'] === false;
    });
    const again = await (await ServiceProcess.start({ ...env, DATABASE_URL: url.call(restored, name) })).ready();
    expect(again.log.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('another generation'));
    const other = again.client(client.token);
    expect(await namesOf(other)).toEqual(['In the WAL alone', 'In the backup']);

    // Who has read no more than is there goes on; who has read what is lost is told.
    expect(await idsOf(other, early)).toEqual([]);
    expect(await feed(other, late)).toMatchObject({ status: 410, error: { code: 'GONE' } });
    const created = [await paint(other, 'New'), await paint(other, 'Newer'), await paint(other, 'Newest')];
    await until('the feed', async () => (await idsOf(other, early)).length >= created.length);
    expect(await idsOf(other, early)).toEqual(created);
    // Also when as much was written as was lost.
    expect((await feed(other, late)).status).toBe(410);
    await until('webhooks', () => messages().length >= 6);
    expect(messages().toSorted()).toEqual([...ids, lost, ...created].toSorted());
    expect(await again.stop()).toBe(0);

    // It archives again, and is backed up.
    await restored.sql('ALTER SYSTEM SET archive_mode = on');
    await repository.follow(restored);
    await restored.kill();
    await restored.restart();
    await repository.run('backup', '--type=full');
  });
});
