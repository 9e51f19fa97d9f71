// An instance on two servers that Patroni manages, in its strict synchronous mode: the one that writes dies under load,
// the other one takes over, and the first comes back as its standby.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../src/database/index.ts';
import type { Client } from './support/client.ts';
import { missingForPatroni, PatroniCluster, sqlOn } from './support/patroni.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { insertTenant } from './support/tenant.ts';
import { until } from './support/until.ts';
import { Writer } from './support/writer.ts';

const missing = [
  ...(process.env.TEST_DATABASE_URL ? [] : ['it runs once, with the tests of PostgreSQL']),
  ...missingForPatroni,
];

const name = 'premises';

(missing.length === 0 ? describe : describe.skip)(['Patroni', ...missing].join(': '), () => {
  let cluster: PatroniCluster;
  let service: ServiceProcess;
  let client: Client;
  beforeAll(async () => {
    cluster = await PatroniCluster.start();
    await sqlOn(cluster.members[0], `CREATE DATABASE ${name}`);
    service = await ServiceProcess.start({ DEMO: 'false', DATABASE_URL: cluster.url(name) });
    await service.ready();
    const database = await openDatabase({ databaseUrl: cluster.url(name), dataDir: '' });
    client = await (await insertTenant(service.origin, database, 'acme')).client(['*'], { rateLimit: 1_000_000 });
    await database.close();
  });
  afterAll(async () => {
    await killAll();
    await cluster.remove();
  });

  test('loses nothing that was acknowledged', async () => {
    const { row: start } = await client.get('/changes', { resource: 'paints' });
    const writers = Array.from({ length: 4 }, () => new Writer(client));
    const acknowledged = () => writers.flatMap((writer) => writer.acknowledged);
    const written = async (more: number) => {
      const before = acknowledged().length;
      await until('writes', () => acknowledged().length >= before + more);
    };
    await written(100);
    const [first, second] = cluster.members;
    await first.crash();
    await until('another leader', async () => (await second.role()) === 'master');
    // Strict: nothing is acknowledged before there is a standby again.
    first.start();
    await until('the return as a standby', async () => (await first.role()) === 'replica');
    await written(100);
    await Promise.all(writers.map((writer) => writer.end()));

    const paints = await sqlOn(second, 'SELECT name FROM paints ORDER BY name', name);
    expect(paints.map((row) => row['name'])).toEqual(acknowledged().toSorted());
    // A reader of the log that has seen the first change goes on, and gets each other one once.
    const found: string[] = [];
    for (let after = String(start['next']), hasMore = true; hasMore; ) {
      const { row } = await client.get('/changes', { resource: 'paints', after, limit: '1000' });
      found.push(...(row['changes'] as { after: { name: string } }[]).map((change) => change.after.name));
      [after, hasMore] = [String(row['next']), row['has_more'] === true];
    }
    expect(found.toSorted()).toEqual(acknowledged().toSorted());
    const refusals = writers.flatMap((writer) => writer.refusals);
    expect(refusals.length).toBeGreaterThan(0);
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([503]));
  });
});
