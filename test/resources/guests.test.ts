import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

const path = '/public/expected-packages';
const status = `${path}/status`;

let service: Service;
let tenant: Tenant;
let guest: Client;
let slug: string;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant('harbour');
  ({ slug } = tenant.company);
  guest = service.anonymous;
});
afterAll(() => service.close());

const least = (more: Row = {}) => ({
  company_slug: slug,
  guest_name: 'Mira Solberg',
  guest_email: 'mira@halden.test',
  ...more,
});
const announce = async (more: Row = {}) => (await guest.post(path, least(more))).row;

describe('registering a package', () => {
  const whole = {
    description: 'Samples of coated paper',
    vendor_name: 'Halden Papir AS',
    tracking_number: '8487135506',
    expected_date: '2026-12-01',
    quantity: 3,
    notes: 'Heavy',
  };

  test('returns the package, with a token', async () => {
    const reply = await guest.post(path, least(whole));
    expect(reply.status).toBe(201);
    expect(reply.row).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      tracking_token: expect.stringMatching(/^[\w-]{22}$/),
      company_slug: 'harbour',
      company_name: 'Company harbour',
      guest_name: 'Mira Solberg',
      guest_email: 'mira@halden.test',
      ...whole,
      status: 'expected',
      ...{ received_at: null, photo_count: 0 },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(reply.text).not.toContain(tenant.company.id);
  });

  test('requires only a name, an email address and a company', async () => {
    const reply = await guest.post(path, least());
    expect(reply.status).toBe(201);
    expect(reply.row).toMatchObject({
      description: null,
      vendor_name: null,
      tracking_number: null,
      expected_date: null,
      quantity: null,
      notes: null,
    });
    expect((await guest.post(path, least({ quantity: 1 }))).row['quantity']).toBe(1);
  });

  test("stores only the token's SHA-256", async () => {
    const { id, tracking_token } = await announce();
    const stored = await service.database.prisma.expectedPackage.findFirstOrThrow({ where: { id: String(id) } });
    expect(stored.companyId).toBe(tenant.company.id);
    expect(Buffer.from(stored.tokenHash).toString('hex')).toBe(
      createHash('sha256').update(String(tracking_token)).digest('hex'),
    );
    expect(JSON.stringify(stored)).not.toContain(tracking_token);
  });

  test('requires an existing company', async () => {
    for (const company_slug of ['nowhere-sandbox', 'nowhere', '', ' ', 'x'.repeat(101), '\0']) {
      const reply = await guest.post(path, least({ company_slug }));
      expect({ company_slug, status: reply.status, details: reply.details }).toEqual({
        company_slug,
        status: 422,
        details: { company_slug: expect.any(String) },
      });
    }
    for (const company_slug of [' harbour ', 'Harbour', '\tHARBOUR\n'])
      expect((await guest.post(path, least({ company_slug }))).row['company_slug']).toBe('harbour');
  });

  test.each<[string, Row, string[]]>([
    ['nothing', {}, ['company_slug', 'guest_email', 'guest_name']],
    [
      'only blanks',
      { company_slug: ' ', guest_name: ' ', guest_email: ' ' },
      ['company_slug', 'guest_email', 'guest_name'],
    ],
    [
      'null',
      { company_slug: null, guest_name: null, guest_email: null },
      ['company_slug', 'guest_email', 'guest_name'],
    ],
    [
      'errors of every kind',
      {
        company_slug: 'nowhere',
        guest_name: 1,
        guest_email: 'mira',
        expected_date: '2026-02-30',
        quantity: 1.5,
        colour: 'red',
        status: 'received',
      },
      ['colour', 'company_slug', 'expected_date', 'guest_email', 'guest_name', 'quantity', 'status'],
    ],
    [
      'fields set by the service',
      {
        company_slug: 'harbour',
        guest_name: 'M',
        guest_email: 'm@x.test',
        id: 'x',
        tracking_token: 'x',
        received_at: null,
        token_hash: 'x',
        company_id: 'x',
      },
      ['company_id', 'id', 'received_at', 'token_hash', 'tracking_token'],
    ],
    [
      'a negative quantity',
      { company_slug: 'harbour', guest_name: 'M', guest_email: 'm@x.test', quantity: -1 },
      ['quantity'],
    ],
  ])('reports all errors at once: %s', async (_, body, fields) => {
    const before = await service.database.prisma.expectedPackage.count();
    const reply = await guest.post(path, body);
    expect({ status: reply.status, code: reply.error.code, fields: Object.keys(reply.details).sort() }).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      fields,
    });
    expect(await service.database.prisma.expectedPackage.count()).toBe(before);
  });

  test('requires a JSON object', async () => {
    for (const body of ['[]', 'null', '"x"', '{']) expect((await guest.post(path, body)).status).toBe(400);
  });
});

describe('tracking a package', () => {
  test('works by its token, below both prefixes', async () => {
    const { tracking_token, ...announced } = await announce({ description: 'Lens holder' });
    for (const base of ['/api/v1', '/v1']) {
      const reply = await guest.at(base).get(`${path}/${String(tracking_token)}`);
      expect({ status: reply.status, row: reply.row }).toEqual({ status: 200, row: announced });
    }
    expect(await guest.request('HEAD', `${path}/${String(tracking_token)}`)).toMatchObject({ status: 200, text: '' });
  });

  test('shows when it was received and collected', async () => {
    const client = await tenant.client();
    const { tracking_token, id } = await announce({ tracking_number: '986578788855' });
    const seen = async () => (await guest.get(`${path}/${String(tracking_token)}`)).row;
    await client.post('/mailroom/scan-events', { tracking_number: '986578788855', scanned_at: '2026-11-20T10:00:00Z' });
    expect(await seen()).toMatchObject({ status: 'received', received_at: '2026-11-20T10:00:00.000Z' });
    await client.graphql('mutation($id: ID!) { updateExpectedPackage(id: $id, input: { status: COLLECTED }) { id } }', {
      id,
    });
    expect(await seen()).toMatchObject({ status: 'collected', received_at: '2026-11-20T10:00:00.000Z' });
  });

  test('responds 404 to anything but a token', async () => {
    const { tracking_token, id } = await announce();
    const token = String(tracking_token);
    const hash = createHash('sha256').update(token).digest('hex');
    const wrong = [
      'x',
      '0',
      'A'.repeat(22),
      'A'.repeat(4000),
      String(id),
      hash,
      token.slice(1),
      `${token}A`,
      token.toLowerCase() + 'x',
      `${token} `,
      '%00',
      '%zz',
      '%E0%A4',
      '%2F',
      `${token}%2F..`,
      '%3Fx=1',
      '%20',
      "' OR 1=1 --",
      'null',
      'undefined',
      '🎁',
      '01890000-0000-7000-8000-000000000000',
    ];
    for (const given of wrong) {
      const reply = await guest.get(
        `${path}/${given.startsWith('%') || given.includes('%2F') ? given : encodeURIComponent(given)}`,
      );
      expect({ given, status: reply.status, code: reply.error.code }).toEqual({
        given,
        status: 404,
        code: 'NOT_FOUND',
      });
    }
  });

  test('rejects query parameters', async () => {
    const { tracking_token } = await announce();
    const reply = await guest.get(`${path}/${String(tracking_token)}`, { email: 'mira@halden.test' });
    expect(reply).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST', message: expect.stringContaining('email') },
    });
  });
});

describe("the list of a guest's packages", () => {
  const email = 'Tom.Achebe_1@guests.test';
  const of = (query: Row = {}) => guest.get(status, { company_slug: 'quay', email, ...query });
  beforeAll(async () => {
    await service.tenant('quay');
    for (let n = 1; n <= 5; n++)
      await announce({
        company_slug: 'quay',
        guest_email: email,
        description: `Parcel ${n}`,
        vendor_name: 'Trailhead',
        expected_date: '2026-12-24',
        tracking_number: `N${n}`,
        notes: 'Ring twice',
      });
    await announce({ company_slug: 'quay', guest_email: 'tom.achebeX1@guests.test', description: "Another's" });
    await announce({ company_slug: slug, guest_email: email, description: 'Elsewhere' });
  });

  test('shows only the public fields', async () => {
    const reply = await of();
    expect(reply.status).toBe(200);
    expect(reply.rows.map(({ description }) => description)).toEqual([
      'Parcel 5',
      'Parcel 4',
      'Parcel 3',
      'Parcel 2',
      'Parcel 1',
    ]);
    expect(reply.rows[0]).toEqual({
      id: expect.any(String),
      description: 'Parcel 5',
      vendor_name: 'Trailhead',
      status: 'expected',
      expected_date: '2026-12-24',
      received_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(reply.meta).toEqual({
      total: 5,
      limit: 25,
      offset: 0,
      request_id: expect.any(String),
      pagination: { total: 5, limit: 25, has_more: false, next_cursor: null },
    });
  });

  test('matches the company and the address in any letter case, but no pattern', async () => {
    for (const company_slug of ['QUAY', '\tQuay\n']) expect((await of({ company_slug })).meta.total).toBe(5);
    for (const given of [email.toLowerCase(), email.toUpperCase(), ` ${email} `])
      expect((await of({ email: given })).meta.total).toBe(5);
    for (const given of ['Tom_Achebe_1@guests.test', 'om.Achebe_1@guests.test'])
      expect((await of({ email: given })).meta.total).toBe(0);
  });

  test('is paged', async () => {
    const first = await of({ limit: 2 });
    expect([first.rows.length, first.meta.total, first.meta.limit]).toEqual([2, 5, 2]);
    const second = await of({ limit: 2, cursor: first.meta.pagination.next_cursor });
    expect(second.rows.map(({ description }) => description)).toEqual(['Parcel 3', 'Parcel 2']);
    expect((await of({ limit: 2, offset: 4 })).rows.map(({ description }) => description)).toEqual(['Parcel 1']);
    expect((await of({ search: 'parcel 4', status: 'expected,received' })).rows).toMatchObject([
      { description: 'Parcel 4' },
    ]);
  });

  test('does not reveal whether a company or guest exists', async () => {
    const answers = [
      await of({ email: 'unknown@guests.test' }),
      await of({ company_slug: 'nowhere' }),
      await of({ company_slug: 'nowhere', email: 'unknown@guests.test' }),
    ];
    const same = answers.map(({ status, text, meta }) => ({ status, text: text.replaceAll(meta.request_id, '') }));
    expect(same).toEqual(same.map(() => ({ status: 200, text: expect.stringMatching(/^\{"data":\[\]/) })));
    expect(new Set(same.map(({ text }) => text)).size).toBe(1);
  });

  test.each<[Row, string]>([
    [{}, 'company_slug'],
    [{ company_slug: 'quay' }, 'email'],
    [{ email }, 'company_slug'],
    [{ company_slug: 'quay', email: 'tom' }, 'email'],
    [{ company_slug: 'quay', email: ['a@b.test', 'c@d.test'] }, 'email'],
    [{ company_slug: 'quay', email, limit: 0 }, 'limit'],
    [{ company_slug: 'quay', email, guest_name: 'x' }, 'guest_name'],
    [{ company_slug: 'quay', email, tracking_number: 'N1' }, 'tracking_number'],
  ])('names the invalid parameter of %j: %s', async (query, parameter) => {
    const reply = await guest.get(status, query);
    expect(reply).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST', message: expect.stringMatching(new RegExp(`^${parameter}: `)) },
    });
  });

  test('is not taken for a token', async () => {
    expect((await guest.get(status)).error.message).toContain('company_slug');
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const reply = await guest.request(method, status, method === 'POST' ? { body: {} } : {});
      expect({ method, status: reply.status, allow: reply.headers.get('allow') }).toEqual({
        method,
        status: 405,
        allow: 'GET, HEAD, OPTIONS',
      });
    }
  });
});

test('other methods are rejected', async () => {
  for (const [at, allow] of [
    [path, 'POST, OPTIONS'],
    [`${path}/x`, 'GET, HEAD, OPTIONS'],
  ] as const) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !allow.includes(method))) {
      const reply = await guest.request(method, at, method === 'GET' ? {} : { body: {} });
      expect({ at, method, status: reply.status, allow: reply.headers.get('allow') }).toEqual({
        at,
        method,
        status: 405,
        allow,
      });
    }
  }
});
