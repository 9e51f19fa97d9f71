// Subscriptions on two instances, and of clients that do not read.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import type { Client, Row } from './support/client.ts';
import { testDatabaseUrl } from './support/database.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { Random } from './support/random.ts';
import { startService } from './support/service.ts';
import { Listening, selected } from './support/subscription.ts';

const onPostgresql = process.env.TEST_DATABASE_URL === undefined ? test.skip : test;
afterAll(killAll);

const query = `subscription ($filter: PaintFilter, $after: String) {
  paints(filter: $filter, after: $after) { ${selected} row { id name brand finish } }
}`;

/** What a client has of a list that it knows by its events alone. */
class FollowedList {
  readonly rows = new Map<string, Row>();

  /** Takes the events that have arrived, from the first that it has not taken. */
  take({ events }: Listening): string | undefined {
    for (const { change, row } of events)
      if (row) this.rows.set(String(change['id']), row);
      else this.rows.delete(String(change['id']));
    return events.at(-1)?.change.position;
  }
}

/** Writes until it is stopped. */
async function write(client: Client, seed: number, writing: { isOver: boolean }): Promise<void> {
  const random = new Random(seed);
  const ids: string[] = [];
  for (let n = 0; !writing.isOver; n++) {
    const id = ids[random.integer(ids.length || 1)];
    const brand = ['Acme', 'Other'][random.integer(2)];
    const reply =
      id === undefined || n % 4 === 0
        ? await client.post('/paints', { name: `${seed} ${n}`, brand })
        : n % 7 === 0
          ? await client.delete(`/paints/${id}`)
          : await client.patch(`/paints/${id}`, { name: `${seed} ${n}`, brand });
    if (reply.status === 201) ids.push(String(reply.row['id']));
    await sleep(random.integer(30));
  }
}

onPostgresql(
  'a list that is followed by events equals the list, whichever instance tells and although one is stopped',
  async () => {
    const database = await testDatabaseUrl();
    const env = { DATABASE_URL: database.url, RATE_LIMIT_TOKEN_PER_HOUR: '1000000' };
    const one = await (await ServiceProcess.start(env)).ready({ greeting: true });
    const other = await (await ServiceProcess.start(env)).ready();
    const [client, elsewhere] = [one.client(), other.client(one.token)];
    const filter = { brand: { eq: 'Acme' } };
    const [all, acme] = [new FollowedList(), new FollowedList()];
    const listAll = `{ paints(first: 100) { nodes { id name brand finish } } }`;
    // Events begin before the list is read.
    const first = await Listening.open(elsewhere, query);
    const filtered = await Listening.open(client, query, { filter });
    const { data } = await client.graphql<{ paints: { nodes: Row[] } }>(listAll);
    for (const row of data.paints.nodes) {
      all.rows.set(String(row['id']), row);
      if (row['brand'] === 'Acme') acme.rows.set(String(row['id']), row);
    }
    const writing = { isOver: false };
    const writers = [write(client, 1, writing), write(client, 2, writing), write(client, 3, writing)];
    await first.received(10);
    // The subscription continues at the other instance, from the position that the first one sent.
    await other.stop();
    await first.ended();
    expect(first.isComplete).toBe(true);
    all.take(first);
    const after = first.payloads.at(-1)?.extensions?.position;
    const later = await Listening.open(client, query, { after });
    await later.received(10);
    await sleep(2000);
    writing.isOver = true;
    await Promise.all(writers);
    const { row } = await client.post('/paints', { name: 'The last', brand: 'Acme' });
    const isTold = ({ events }: Listening) => events.some(({ change }) => change['id'] === row['id']);
    for (const deadline = Date.now() + 120_000; !(isTold(later) && isTold(filtered)); await sleep(50))
      expect(Date.now()).toBeLessThan(deadline);
    all.take(later);
    acme.take(filtered);

    const rows: Row[] = [];
    for (let cursor: string | null = null, more = true; more; ) {
      const page: { paints: { nodes: Row[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } } = (
        await client.graphql<never>(
          'query ($after: String) { paints(first: 100, after: $after) { nodes { id name brand finish } pageInfo { hasNextPage endCursor } } }',
          { after: cursor },
        )
      ).data;
      rows.push(...page.paints.nodes);
      ({ hasNextPage: more, endCursor: cursor } = page.paints.pageInfo);
    }
    const sorted = (some: Iterable<Row>) =>
      [...some].sort((left, right) => (String(left['id']) < String(right['id']) ? -1 : 1));
    expect(rows.length).toBeGreaterThan(20);
    expect(sorted(all.rows.values())).toEqual(sorted(rows));
    expect(sorted(acme.rows.values())).toEqual(sorted(rows.filter(({ brand }) => brand === 'Acme')));
    await one.stop();
    await database.drop();
  },
);

test('a client that does not read gets the position to continue from, and others continue', async () => {
  const service = await startService();
  const tenant = await service.tenant();
  const client = await tenant.client();
  const notes = `subscription ($after: String) { notes(after: $after) { ${selected} row { title content } } }`;
  const slow = await Listening.open(client, notes);
  const quick = await Listening.open(client, notes);
  slow.pause();
  const content = 'x'.repeat(19_000);
  // More than the buffers of a connection hold.
  const count = 1200;
  const { company, users } = tenant;
  for (let n = 0; n < count; n += 50) {
    const owner = { companyId: company.id, userId: users[0]?.id ?? '', updatedAt: new Date() };
    const data = Array.from({ length: 50 }, (_, k) => ({ ...owner, title: String(n + k), content }));
    await service.database.prisma.note.createMany({ data });
    await quick.received(n + 50);
  }
  slow.resume();
  await slow.ended();
  const { errors, extensions } = slow.payloads.at(-1) ?? {};
  expect(errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);
  const seen = slow.events.map(({ row }) => row?.['title']);
  expect(seen.length).toBeLessThan(count);
  const rest = await Listening.open(client, notes, { after: extensions?.position });
  await rest.received(count - seen.length);
  expect([...seen, ...rest.events.map(({ row }) => row?.['title'])].sort()).toEqual(
    Array.from({ length: count }, (_, n) => String(n)).sort(),
  );
  for (const each of [quick, rest]) each.close();
  await service.close();
});
