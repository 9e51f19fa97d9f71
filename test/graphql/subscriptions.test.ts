// Subscriptions: who is sent what, and what is refused.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { memberClient } from '../resources/members.ts';
import { signInAll } from '../support/browser.ts';
import type { Client } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { listeners, paints, selected } from '../support/subscription.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ MAX_REQUESTS_WAITING: '24', MAX_REQUESTS_WAITING_PER_TOKEN: '3' });
});
afterAll(() => service.close());

/** What a test begins with. */
interface Setup extends Pick<ReturnType<typeof listeners>, 'listen'> {
  /** A company of its own, as listeners are counted by caller and company. */
  readonly tenant: Tenant;
  readonly client: Client;
}

/** Runs a test at the same time as others, as each event takes up to half a second. */
function testInCompany(name: string, run: (setup: Setup) => Promise<void>) {
  test.concurrent(name, async () => {
    const tenant = await service.tenant();
    const { listen, closeAll } = listeners(() => service);
    try {
      await run({ tenant, client: await tenant.client(), listen });
    } finally {
      closeAll();
    }
  });
}

testInCompany('a list is followed as it changes, with the selected fields of each row', async ({ client, listen }) => {
  const listening = await listen(client, paints);
  expect([listening.status, listening.headers['content-type']]).toEqual([200, 'text/event-stream']);
  const { row } = await client.post('/paints', { name: 'Sage', brand: 'Acme' });
  await listening.received(1);
  await client.patch(`/paints/${String(row['id'])}`, { name: 'Sea' });
  await listening.received(2);
  await client.delete(`/paints/${String(row['id'])}`);
  await client.post('/vendors', { company_name: 'Acme' });
  const { id } = row;
  expect((await listening.received(3)).events).toMatchObject([
    { change: { action: 'CREATE', id, changedFields: [] }, row: { id, name: 'Sage', brand: 'Acme' } },
    { change: { action: 'UPDATE', id }, row: { id, name: 'Sea', brand: 'Acme' } },
    { change: { action: 'DELETE', id, changedFields: [] }, row: null },
  ]);
  expect(listening.events[1]?.change['changedFields']).toEqual(expect.arrayContaining(['name']));
});

testInCompany(
  'a list with a filter sends only rows that enter it, change in it or leave it',
  async ({ client, listen }) => {
    const listening = await listen(client, paints, { filter: { brand: { eq: 'Acme' } } });
    const { row } = await client.post('/paints', { name: 'Sage', brand: 'Other' });
    const at = `/paints/${String(row['id'])}`;
    await client.post('/paints', { name: 'First', brand: 'Acme' });
    // By then the change of the other row has been processed.
    await listening.received(1);
    await client.patch(at, { brand: 'Acme' });
    await listening.received(2);
    await client.patch(at, { name: 'Sky' });
    await listening.received(3);
    await client.patch(at, { brand: 'Other' });
    await listening.received(4);
    await client.delete(at);
    await client.post('/paints', { name: 'Last', brand: 'Acme' });
    const received = (await listening.received(5)).events.map(({ change, row: now }) => [
      change['action'],
      now?.['name'],
    ]);
    expect(received).toEqual([
      ['CREATE', 'First'],
      ['CREATE', 'Sage'],
      ['UPDATE', 'Sky'],
      ['DELETE', undefined],
      ['CREATE', 'Last'],
    ]);
  },
);

testInCompany('changes of a row that are sent together are one event', async ({ client, listen }) => {
  const listening = await listen(client, paints);
  const { row } = await client.post('/paints', { name: 'Sage', brand: 'Acme' });
  const [after] = (await listening.received(1)).ids;
  const { row: other } = await client.post('/paints', { name: 'Gone' });
  await client.patch(`/paints/${String(row['id'])}`, { name: 'Sea' });
  await client.patch(`/paints/${String(row['id'])}`, { finish: 'matte' });
  await client.delete(`/paints/${String(other['id'])}`);
  const later = await listen(client, paints, { after });
  await client.post('/paints', { name: 'Last' });
  expect((await later.received(3)).events).toMatchObject([
    { change: { action: 'UPDATE', id: row['id'] }, row: { name: 'Sea' } },
    // A listener that began earlier could know the row.
    { change: { action: 'DELETE', id: other['id'] }, row: null },
    { change: { action: 'CREATE' }, row: { name: 'Last' } },
  ]);
  expect(later.events[0]?.change['changedFields']).toEqual(expect.arrayContaining(['name', 'finish']));
});

testInCompany('a row is a filter by its id', async ({ client, listen }) => {
  const { row } = await client.post('/paints', { name: 'Sage' });
  const listening = await listen(client, paints, { filter: { id: { eq: row['id'] } } });
  await client.post('/paints', { name: 'Another' });
  await client.patch(`/paints/${String(row['id'])}`, { name: 'Sea' });
  expect((await listening.received(1)).events).toMatchObject([{ change: { id: row['id'] }, row: { name: 'Sea' } }]);
});

testInCompany('the one row of a company is followed as it changes', async ({ tenant, client, listen }) => {
  const query = `subscription ($after: String) {
    timeClockSettings(after: $after) { ${selected} row { roundingMinutes } }
  }`;
  const other = await (await service.tenant()).client();
  const listening = await listen(client, query);
  const deaf = await listen(await tenant.client(['paint:read']), query);
  await other.patch('/time-clock/settings', { rounding_minutes: 30 });
  await client.patch('/time-clock/settings', { rounding_minutes: 5 });
  await listening.received(1);
  await client.patch('/time-clock/settings', { rounding_minutes: 10 });
  expect((await listening.received(2)).events).toMatchObject([
    {
      change: { action: 'UPDATE', changedFields: expect.arrayContaining(['roundingMinutes']) },
      row: { roundingMinutes: 5 },
    },
    { change: { action: 'UPDATE' }, row: { roundingMinutes: 10 } },
  ]);
  // From a position, in one event.
  const [first] = listening.events;
  const again = await listen(client, query, { after: first?.change.position });
  expect((await again.received(1)).events).toMatchObject([{ row: { roundingMinutes: 10 } }]);
  expect((await deaf.ended()).payloads).toMatchObject([{ errors: [{ extensions: { code: 'INSUFFICIENT_SCOPE' } }] }]);
});

testInCompany('rows have related rows, and filters conditions on them', async ({ tenant, client, listen }) => {
  const [low, high] = await Promise.all(
    ['LL', 'HH'].map(async (code) => {
      const data = { companyId: tenant.company.id, code, name: code };
      return (await service.database.prisma.building.create({ data })).id;
    }),
  );
  const listening = await listen(
    client,
    `subscription { serviceRequests(filter: { building: { code: { eq: "LL" } } }) {
      ${selected} row { title building { code } comments(first: 2) { totalCount nodes { comment } } }
    } }`,
  );
  await client.post('/service-requests', { title: 'High', building_id: high });
  await client.post('/service-requests', { title: 'Low', building_id: low });
  expect((await listening.received(1)).events).toMatchObject([
    { change: { action: 'CREATE' }, row: { title: 'Low', building: { code: 'LL' }, comments: { totalCount: 0 } } },
  ]);
});

testInCompany('a row changes with its line items', async ({ client, listen }) => {
  const item = { description: 'Gloves', quantity: 2 };
  const { row } = await client.post('/procurement/requisitions', { title: 'Stock', line_items: [item] });
  const listening = await listen(
    client,
    `subscription { requisitions { ${selected} row { id lineItems { description quantity } } } }`,
  );
  await client.patch(`/procurement/requisitions/${String(row['id'])}`, { line_items: [{ ...item, quantity: 5 }] });
  expect((await listening.received(1)).events).toMatchObject([
    { change: { action: 'UPDATE' }, row: { id: row['id'], lineItems: [{ description: 'Gloves', quantity: 5 }] } },
  ]);
});

testInCompany(
  'each event has a position from which a subscription continues, by after or Last-Event-ID',
  async ({ client, listen }) => {
    const listening = await listen(client, paints);
    for (const name of ['One', 'Two', 'Three']) await client.post('/paints', { name });
    await listening.received(3);
    const [first, second] = listening.events.map(({ change }) => change.position);
    expect(listening.ids.slice(0, 2)).toEqual([first, second]);
    listening.close();
    await client.post('/paints', { name: 'Four' });
    const again = await listen(client, paints, { after: first });
    expect((await again.received(3)).events.map(({ row }) => row?.['name'])).toEqual(['Two', 'Three', 'Four']);
    const later = await listen(client, paints, { after: first }, { 'last-event-id': second ?? '' });
    expect((await later.received(2)).events.map(({ row }) => row?.['name'])).toEqual(['Three', 'Four']);
    // Clients that continue share the events of the others from then on.
    await client.post('/paints', { name: 'Five' });
    expect((await again.received(4)).events[3]?.row).toMatchObject({ name: 'Five' });
    expect((await later.received(3)).events[2]?.row).toMatchObject({ name: 'Five' });
  },
);

testInCompany('a position that the log no longer has is GONE', async ({ client, listen }) => {
  const listening = await listen(client, paints);
  await client.post('/paints', { name: 'Sage' });
  const position = (await listening.received(1)).ids[0] ?? '';
  const foreign = Buffer.from(Buffer.from(position, 'base64url').toString().replace(/^\w+/, '00000000'));
  const gone = await (await listen(client, paints, { after: foreign.toString('base64url') })).ended();
  expect(gone.isComplete).toBe(true);
  expect(gone.payloads).toMatchObject([{ errors: [{ extensions: { code: 'GONE', status: 410 } }] }]);
  const wrong = await (await listen(client, paints, { after: 'nonsense' })).ended();
  expect(wrong.payloads).toMatchObject([{ errors: [{ extensions: { code: 'BAD_REQUEST' } }] }]);
});

describe('access to events', () => {
  testInCompany('another company is sent nothing', async ({ client, listen }) => {
    const other = await (await service.tenant()).client();
    const { row } = await client.post('/paints', { name: 'Secret' });
    const listening = await listen(other, paints);
    const byId = await listen(other, paints, { filter: { id: { eq: row['id'] } } });
    await client.patch(`/paints/${String(row['id'])}`, { name: 'Still secret' });
    await other.post('/paints', { name: 'Own' });
    expect((await listening.received(1)).events.map((event) => event.row?.['name'])).toEqual(['Own']);
    expect(byId.events).toEqual([]);
  });

  testInCompany('a position of another company returns only changes of the own company', async ({ client, listen }) => {
    const other = await (await service.tenant()).client();
    const listening = await listen(client, paints);
    await client.post('/paints', { name: 'One' });
    const [after] = (await listening.received(1)).ids;
    await client.post('/paints', { name: 'Two' });
    const foreign = await listen(other, paints, { after });
    await other.post('/paints', { name: 'Own' });
    expect((await foreign.received(1)).events.map(({ row }) => row?.['name'])).toEqual(['Own']);
  });

  testInCompany(
    'without the scope there is no subscription, whatever else is wrong with it',
    async ({ tenant, listen }) => {
      const reader = await tenant.client(['buildings:read', 'locations:read']);
      for (const variables of [{}, { after: 'nonsense' }, { filter: { name: { eq: 7 } } }]) {
        const refused = await (await listen(reader, paints, variables)).ended();
        expect(refused.payloads).toMatchObject([{ errors: [{ extensions: { code: 'INSUFFICIENT_SCOPE' } }] }]);
      }
    },
  );

  testInCompany(
    'fields of rows that the caller may not read are null with an error, and are no filters',
    async ({ tenant, client, listen }) => {
      const reader = await tenant.client(['service_requests:read']);
      const query = (filter: string) =>
        `subscription { serviceRequests(filter: ${filter}) { ${selected} row { title assignee { fullName } } } }`;
      const refused = await (await listen(reader, query('{ building: { code: { eq: "LL" } } }'))).ended();
      expect(refused.payloads).toMatchObject([{ errors: [{ extensions: { code: 'INSUFFICIENT_SCOPE' } }] }]);
      const listening = await listen(reader, query('{}'));
      await client.post('/service-requests', { title: 'Leak', assigned_to: tenant.users[0]?.id });
      await listening.received(1);
      expect(listening.events).toMatchObject([{ row: { title: 'Leak', assignee: null } }]);
      expect(listening.payloads[0]?.errors).toMatchObject([
        { path: ['serviceRequests', 'row', 'assignee'], extensions: { code: 'INSUFFICIENT_SCOPE' } },
      ]);
    },
  );

  testInCompany(
    'a member is sent changes of their own private notes, and of others when they are shared',
    async ({ tenant, client, listen }) => {
      const cleo = await memberClient(service, tenant, 2);
      const query = `subscription { notes { ${selected} row { title } } }`;
      const listening = await listen(cleo, query);
      const { row } = await client.post('/notes', { title: 'Plan' });
      const at = `/notes/${String(row['id'])}`;
      await client.patch(at, { title: 'New plan' });
      await client.patch(at, { is_shared: true });
      await listening.received(1);
      await client.patch(at, { is_shared: false });
      await cleo.post('/notes', { title: 'Own' });
      expect(
        (await listening.received(3)).events.map((event) => [event.change['action'], event.row?.['title']]),
      ).toEqual([
        ['CREATE', 'New plan'],
        ['DELETE', undefined],
        ['CREATE', 'Own'],
      ]);
    },
  );

  testInCompany('a signed-in person listens as with a token, by GET too', async ({ tenant, client, listen }) => {
    const { member } = await signInAll(service, tenant);
    const listening = await listen(member, paints);
    await client.post('/paints', { name: 'Sage' });
    expect((await listening.received(1)).events).toMatchObject([{ row: { name: 'Sage' } }]);
    // The membership ends while it lasts.
    const data = { deactivatedAt: new Date() };
    await service.database.prisma.user.updateMany({ where: { id: tenant.users[2]?.id }, data });
    await listening.ended();
    expect(listening.payloads.at(-1)).toMatchObject({ errors: [{ extensions: { code: 'INVALID_TOKEN' } }] });
  });
});

testInCompany('the limits of queries hold', async ({ client, listen }) => {
  const tooDeep = `subscription { serviceRequests { row ${'{ building { serviceRequests(first: 1) { nodes '.repeat(5)}{ id }${' } } }'.repeat(5)} } }`;
  const all = (n: number) =>
    `_${n}: serviceRequests(first: 100) { nodes { comments(first: 100) { nodes { id author { id } } } } }`;
  const tooLarge = `subscription { serviceRequests { row { building { ${[1, 2, 3, 4, 5, 6, 7, 8].map(all).join(' ')} } } } }`;
  const two = 'subscription { paints { row { id } } buildings { row { id } } }';
  for (const [query, message] of [
    [tooDeep, /depth/],
    [tooLarge, /costs/],
    [two, /one|only/i],
    ['subscription { ...F } fragment F on Subscription { paints { row { id } } }', /fragments/],
  ] as const) {
    const refused = await (await listen(client, query)).ended();
    expect(refused.payloads[0]?.errors?.[0]?.message).toMatch(message);
    expect(refused.payloads[0]?.errors?.[0]?.extensions.code).toBe('BAD_REQUEST');
  }
});

testInCompany('clients that accept no events are refused', async ({ client, listen }) => {
  const refused = await listen(client, paints, {}, { accept: 'application/json' });
  expect(refused.status).toBe(406);
  expect((await listen(client, paints, {}, { accept: '*/*' })).status).toBe(200);
});

testInCompany('a query is one event', async ({ client, listen }) => {
  const result = await (await listen(client, '{ paints { totalCount } }')).ended();
  expect(result.isComplete).toBe(true);
  expect(result.payloads).toMatchObject([{ data: { paints: { totalCount: 0 } } }]);
});
