import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { countStatuses } from './days.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

// Carrier detection is tested in test/unit.
const numbers: readonly [string, string][] = [
  ['1Z 5R8 939 03 5756 7127', 'UPS'],
  ['RB123456785GB', 'Royal Mail Group plc'],
];
const unknown = ['986578788856', 'Box 7'];

describe('a shipment', () => {
  const make = async (body: Row) => (await client.post('/shipping', body)).row;
  const patch = async (row: Row, body: Row) =>
    (
      await client.request('PATCH', `/shipping/${String(row['id'])}`, {
        body,
        headers: { prefer: 'return=representation' },
      })
    ).row;

  test.each(numbers)('%s is carried by %s', async (tracking_number, carrier) => {
    expect(await make({ tracking_number })).toMatchObject({ tracking_number, carrier, status: 'pending' });
  });

  test.each(unknown)('%s has no known carrier', async (tracking_number) => {
    expect(await make({ tracking_number })).toMatchObject({ tracking_number, carrier: null });
  });

  test('has the given carrier', async () => {
    expect(await make({ tracking_number: '986578788855', carrier: 'Joe' })).toMatchObject({ carrier: 'Joe' });
    expect(await make({ tracking_number: '986578788855', carrier: null })).toMatchObject({ carrier: 'FedEx' });
    expect(await make({})).toMatchObject({ tracking_number: null, carrier: null });
  });

  test('has the carrier of a new number, unless a carrier was given', async () => {
    const detected = await make({ tracking_number: '986578788855' });
    expect(await patch(detected, { tracking_number: '1Z5R89390357567127' })).toMatchObject({ carrier: 'UPS' });
    expect(await patch(detected, { tracking_number: 'Box 7' })).toMatchObject({ carrier: null });
    expect(await patch(detected, { tracking_number: '986578788855' })).toMatchObject({ carrier: 'FedEx' });
    expect(await patch(detected, { description: 'Chairs' })).toMatchObject({ carrier: 'FedEx' });
    expect(await patch(detected, { tracking_number: null })).toMatchObject({ carrier: null });
    expect(await patch(detected, { tracking_number: '3318810025', carrier: 'Joe' })).toMatchObject({ carrier: 'Joe' });
    expect(await patch(detected, { tracking_number: '986578788855' })).toMatchObject({ carrier: 'Joe' });
    expect(await patch(detected, { carrier: null })).toMatchObject({ carrier: null });
    expect(await patch(detected, { tracking_number: '3318810025' })).toMatchObject({ carrier: null });
  });
});

test('a search finds tracking numbers however they are spaced', async () => {
  for (const tracking_number of ['1Z 5R8 939 03-5756-7127', '3318810099', '50%-off'])
    await client.post('/shipping', {
      tracking_number,
      description: tracking_number === '3318810099' ? 'Two - three' : null,
    });
  const found = async (search: string) =>
    (await client.get('/shipping', { search, tracking_number: '1Z5R89390357567127,3318810099,50%off' })).rows.map(
      ({ tracking_number }) => tracking_number,
    );
  for (const search of ['1z5r8-939', '03 5756 7127', '5R89390357567127'])
    expect(await found(search)).toContain('1Z 5R8 939 03-5756-7127');
  expect(await found('331 88-10099')).toEqual(['3318810099']);
  expect(await found('0% OFF')).toEqual(['50%-off']);
  expect(await found('0_off')).toEqual([]);
  // What is ignored in numbers is sought in the other fields alone.
  expect(await found('-')).toEqual(['3318810099']);
});

describe('a scan event', () => {
  const path = '/mailroom/scan-events';
  const scan = (body: Row) => client.post(path, body);

  test('requires a tracking number or a barcode', async () => {
    for (const body of [{}, { scan_type: 'intake' }, { tracking_number: ' ', barcode: null }]) {
      expect((await scan(body)).details).toEqual({ tracking_number: expect.any(String), barcode: expect.any(String) });
    }
    expect((await scan({ tracking_number: 'Box '.repeat(200) })).details).toEqual({
      tracking_number: expect.stringMatching(/at most \d+ characters/),
    });
    expect((await scan({ tracking_number: 'Box 7' })).status).toBe(201);
    expect((await scan({ barcode: 'Box 7' })).status).toBe(201);
  });

  test('defaults to pending and now', async () => {
    const { row } = await scan({ barcode: 'Box 7' });
    expect(row).toMatchObject({
      processing_status: 'pending',
      scan_type: null,
      tracking_number: null,
      detected_carrier: null,
    });
    expect(Math.abs(Date.parse(String(row['scanned_at'])) - Date.now())).toBeLessThan(5000);
    const given = {
      barcode: 'Box 7',
      processing_status: 'processed',
      scan_type: 'intake',
      scanned_at: '2026-03-02T08:00:00.000Z',
      detected_carrier: 'Joe',
    };
    expect((await scan(given)).row).toMatchObject(given);
  });

  test.each(numbers)('of %s has the carrier %s', async (number, carrier) => {
    expect((await scan({ tracking_number: number })).row).toMatchObject({ detected_carrier: carrier });
    expect((await scan({ barcode: number })).row).toMatchObject({ detected_carrier: carrier });
    expect((await scan({ tracking_number: 'Box 7', barcode: number })).row).toMatchObject({
      detected_carrier: carrier,
    });
  });

  test('with both numbers detects the carrier by the tracking number', async () => {
    expect((await scan({ tracking_number: '986578788855', barcode: '1Z5R89390357567127' })).row).toMatchObject({
      detected_carrier: 'FedEx',
    });
  });

  test('can be filtered by time', async () => {
    for (const day of ['01', '02', '03'])
      await scan({ barcode: `B${day}`, scan_type: 'dated', scanned_at: `2026-05-${day}` });
    const found = async (query: Row) =>
      (await client.get(path, { scan_type: 'dated', sort: 'scanned_at', order: 'asc', ...query })).rows.map(
        ({ barcode }) => barcode,
      );
    expect(await found({ scanned_after: '2026-05-02' })).toEqual(['B02', 'B03']);
    expect(await found({ scanned_before: '2026-05-02' })).toEqual(['B01']);
    expect(await found({ scanned_after: '2026-05-01T00:00:00.001Z', scanned_before: '2026-05-03T00:00:00Z' })).toEqual([
      'B02',
    ]);
  });

  test('stays as it is in REST, and GraphQL updates only its status', async () => {
    const { row } = await scan({ barcode: 'Box 7' });
    const { id } = row;
    const address = `${path}/${String(id)}`;
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const refused = await client.request(method, address);
      expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD, OPTIONS']);
    }
    expect((await client.get(address)).row).toEqual(row);
    const update = (input: string) =>
      client.graphql(
        `mutation ($id: ID!) { updateScanEvent(id: $id, input: { ${input} }) { processingStatus barcode } }`,
        { id },
      );
    expect((await update('processingStatus: FAILED')).data).toEqual({
      updateScanEvent: { processingStatus: 'FAILED', barcode: 'Box 7' },
    });
    expect((await update('barcode: "Box 8"')).errors).toHaveLength(1);
    expect(
      (await client.graphql('mutation ($id: ID!) { deleteScanEvent(id: $id) { id } }', { id })).errors,
    ).toHaveLength(1);
  });
});

describe('an expected package', () => {
  const expected = (
    trackingNumber: string | null,
    status: 'EXPECTED' | 'COLLECTED' = 'EXPECTED',
    companyId = tenant.company.id,
  ) =>
    service.database.prisma.expectedPackage.create({
      data: {
        companyId,
        guestName: 'Gus',
        guestEmail: 'gus@example.com',
        trackingNumber,
        status,
        tokenHash: randomBytes(32),
      },
    });
  const state = async ({ tokenHash }: Awaited<ReturnType<typeof expected>>) => {
    const { status, receivedAt } = await service.database.prisma.expectedPackage.findUniqueOrThrow({
      where: { tokenHash },
    });
    return [status, receivedAt?.toISOString() ?? null];
  };
  const scan = (body: Row) => client.post('/mailroom/scan-events', { scanned_at: '2026-03-02T08:00:00Z', ...body });
  const received = ['RECEIVED', '2026-03-02T08:00:00.000Z'];
  const waiting = ['EXPECTED', null];

  test.each(['AB_12%', ' AB_12% ', 'ab_12%'])('is received when %j is scanned', async (number) => {
    const mine = await expected('Ab_12%');
    const others = [
      await expected('ABx12y'),
      await expected('Ab_12%3'),
      await expected(null),
      await expected('AB_12%', 'EXPECTED', tenant.company.sandbox.id),
    ];
    const collected = await expected('AB_12%', 'COLLECTED');
    expect((await scan({ tracking_number: number })).status).toBe(201);
    expect(await state(mine)).toEqual(received);
    for (const other of others) expect(await state(other)).toEqual(waiting);
    expect(await state(collected)).toEqual(['COLLECTED', null]);
  });

  test.each([
    ['1Z 999 AA1-0123 4567 84', '1z999aa10123456784'],
    ['1Z999AA10123456784', '1z-999-aa1 0123\t456784'],
  ])('is received however its number is spaced: %j by %j', async (number, scanned) => {
    const [mine, other] = [await expected(number), await expected('- -')];
    await scan({ tracking_number: scanned });
    await scan({ barcode: '--' });
    expect([await state(mine), await state(other)]).toEqual([received, waiting]);
  });

  test('is received when its number is read from a barcode', async () => {
    const mine = await expected('CD34');
    await scan({ tracking_number: 'something else', barcode: 'cd34' });
    expect(await state(mine)).toEqual(received);
  });

  test('is received at the first scan', async () => {
    const mine = await expected('EF56');
    await scan({ tracking_number: 'EF56' });
    await scan({ tracking_number: 'EF56', scanned_at: '2026-03-03' });
    expect(await state(mine)).toEqual(received);
  });

  test('is received once by concurrent scans', async () => {
    const mine = await expected('GH78');
    expect(
      await countStatuses(30, (n) =>
        scan({ tracking_number: 'GH78', scanned_at: `2026-03-02T08:00:${String(n).padStart(2, '0')}Z` }),
      ),
    ).toEqual({ 201: 30 });
    const [status, at] = await state(mine);
    expect([status, at?.slice(0, 17)]).toEqual(['RECEIVED', '2026-03-02T08:00:']);
  });

  test('is not received by a rejected scan', async () => {
    const mine = await expected('IJ90');
    expect((await scan({ tracking_number: 'IJ90', processing_status: 'lost' })).status).toBe(422);
    expect(await state(mine)).toEqual(waiting);
  });
});

describe('expected packages in GraphQL', () => {
  /** Registers a package as a guest. */
  const register = async (company_slug: string, description: string) => {
    const body = { company_slug, description, guest_name: 'Mira Solberg', guest_email: 'mira@halden.test' };
    return (await service.anonymous.post('/public/expected-packages', body)).row;
  };
  const list = '{ expectedPackages { totalCount nodes { id guestName guestEmail description status receivedAt } } }';
  const update =
    'mutation($id: ID!, $status: PackageStatus!) { updateExpectedPackage(id: $id, input: { status: $status }) { status receivedAt } }';

  test('are listed, read and updated with the scopes of shipping', async () => {
    const pier = await service.tenant('pier');
    const { id } = await register('pier', 'Chairs');
    const [reader, writer, other] = (await Promise.all(
      [['shipping:read'], ['shipping:write'], ['leases:read', 'leases:write']].map((scopes) => pier.client(scopes)),
    )) as [Client, Client, Client];
    expect((await reader.graphql(list)).data).toEqual({
      expectedPackages: {
        totalCount: 1,
        nodes: [
          {
            id,
            guestName: 'Mira Solberg',
            guestEmail: 'mira@halden.test',
            description: 'Chairs',
            status: 'EXPECTED',
            receivedAt: null,
          },
        ],
      },
    });
    expect((await reader.graphql('query($id: ID!) { expectedPackage(id: $id) { description } }', { id })).data).toEqual(
      { expectedPackage: { description: 'Chairs' } },
    );
    for (const client of [reader, other])
      expect((await client.graphql(update, { id, status: 'RECEIVED' })).errors).toMatchObject([
        { extensions: { code: 'INSUFFICIENT_SCOPE' } },
      ]);
    for (const client of [writer, other])
      expect((await client.graphql(list)).errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }]);

    // A client that may not read gets no more than it sent.
    expect((await writer.graphql(update, { id, status: 'RECEIVED' })).errors).toMatchObject([
      { extensions: { code: 'INSUFFICIENT_SCOPE' } },
    ]);
    const both = await pier.client(['shipping:read', 'shipping:write']);
    const moved = async (status: string) => (await both.graphql(update, { id, status })).data['updateExpectedPackage'];
    const received = await moved('RECEIVED');
    expect(received).toEqual({ status: 'RECEIVED', receivedAt: expect.any(String) });
    expect(await moved('COLLECTED')).toEqual({ ...received, status: 'COLLECTED' });
    expect(await moved('EXPECTED')).toEqual({ status: 'EXPECTED', receivedAt: null });
    expect(await moved('COLLECTED')).toEqual({ status: 'COLLECTED', receivedAt: expect.any(String) });
  });

  test('are not visible to other companies or in the sandbox', async () => {
    const quay = await service.tenant('quay');
    const { id } = await register('quay', 'Chairs');
    const others = [await (await service.tenant('jetty')).client(), await quay.client(['*'], { live: false })];
    for (const client of others) {
      expect((await client.graphql(list)).data).toEqual({ expectedPackages: { totalCount: 0, nodes: [] } });
      expect((await client.graphql(update, { id, status: 'RECEIVED' })).errors).toMatchObject([
        { extensions: { code: 'NOT_FOUND' } },
      ]);
    }
  });
});

test('tracking numbers match without regard to spaces, hyphens and case', async () => {
  const tenant = await service.tenant();
  const client = await tenant.client();
  const { slug: company_slug } = tenant.company;
  const numbers = [' 1Z 999-aa1\u00a0x ', 'other', '\u00e9-1', undefined];
  for (const tracking_number of numbers) {
    await client.post('/shipping', { tracking_number });
    await client.post('/mailroom/scan-events', { tracking_number, barcode: 'x' });
    const guest = { company_slug, guest_name: 'Mira', guest_email: 'mira@halden.test' };
    await service.anonymous.post('/public/expected-packages', { ...guest, tracking_number });
  }
  for (const path of ['/shipping', '/mailroom/scan-events', '/mailroom/expected-packages']) {
    const find = async (tracking_number: unknown) =>
      (await client.get(path, { tracking_number })).rows.map((row) => row['tracking_number']).sort();
    for (const same of ['1z999AA1X', '1Z 999-aa1\u00a0x', '-1z9 99AA1-x-'])
      expect([path, same, await find(same)]).toEqual([path, same, ['1Z 999-aa1\u00a0x']]);
    expect(await find('1z999AA1X, OTHER')).toEqual(['1Z 999-aa1\u00a0x', 'other']);
    expect(await find('\u00e91')).toEqual(['\u00e9-1']);
    for (const none of ['1z999AA1', '1z999AA1XX', '-'])
      expect([path, none, await find(none)]).toEqual([path, none, []]);
  }
  const lists = ['shipments', 'scanEvents', 'expectedPackages'];
  const { data } = await client.graphql(
    `{ ${lists.map((list) => `${list}(filter: { trackingNumber: { isNull: true } }) { nodes { trackingNumber } }`).join(' ')} }`,
  );
  expect(Object.values(data)).toEqual(lists.map(() => ({ nodes: [{ trackingNumber: null }] })));
});
