import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { createLimiter } from '../../src/auth/limits.ts';
import { createToken } from '../../src/auth/tokens.ts';
import { readConfig } from '../../src/config.ts';
import { api } from '../../src/schema/index.ts';
import { Browser, givePassword, password, signInAll } from '../support/browser.ts';
import { Client } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let second: FastifyInstance;
/** Both instances of the service, on one database. */
let origins: readonly string[];
beforeAll(async () => {
  const plenty = '1000000';
  const env = {
    RATE_LIMIT_TOKEN_PER_HOUR: plenty,
    RATE_LIMIT_PUBLIC_PER_HOUR: plenty,
    RATE_LIMIT_SESSION_PER_HOUR: plenty,
  };
  service = await startService(env);
  const { database } = service;
  const limiter = createLimiter(database, undefined);
  second = await createApp({ api, config: readConfig(env), database, limiter, logger: pino({ level: 'silent' }) });
  second.addHook('onClose', () => limiter.close());
  await second.listen({ host: '127.0.0.1', port: 0 });
  origins = [service.origin, `http://127.0.0.1:${(second.server.address() as AddressInfo).port}`];
});
afterAll(async () => {
  await second?.close();
  await service?.close();
});

/** How long after a change a request may still be allowed, in ms. */
const withinMs = 1000;

/** Sends a request. @returns whether it was allowed; anything but the expected refusal is an error */
type Attempt = () => Promise<boolean>;

/**
 * Attempts from before a change until long after it.
 *
 * @returns the last times, in ms after the change, of those allowed
 */
async function duringChange(attempts: Readonly<Record<string, Attempt>>, change: () => Promise<unknown>) {
  let changedAt = Number.POSITIVE_INFINITY;
  let changing = false;
  const before: Record<string, number> = {};
  const after: Record<string, number> = {};
  const refused = new Set<string>();
  const attack = async ([name, attempt]: [string, Attempt]) => {
    for (const deadline = performance.now() + 30_000; !refused.has(name); ) {
      if (performance.now() > deadline) throw new Error(`${name} was never refused`);
      const sentAt = performance.now();
      if (!(await attempt())) {
        if (changedAt === Number.POSITIVE_INFINITY && !changing) throw new Error(`${name} was refused before`);
        refused.add(name);
      } else if (sentAt > changedAt) after[name] = sentAt - changedAt;
      else before[name] = (before[name] ?? 0) + 1;
      await sleep(10);
    }
  };
  const attacks = Promise.all(Object.entries(attempts).map(attack));
  const count = Object.keys(attempts).length;
  // Each was in use before.
  for (const deadline = performance.now() + 30_000; Object.keys(before).length < count; await sleep(10))
    if (performance.now() > deadline) throw new Error('some were never allowed');
  changing = true;
  await change();
  changedAt = performance.now();
  await attacks;
  return Object.values(after);
}

const outcome = (status: number, allowed: number, refused: number): boolean => {
  if (status !== allowed && status !== refused) throw new Error(`neither ${allowed} nor ${refused}, but ${status}`);
  return status === allowed;
};

/** Reads with a token over both APIs of both instances. */
const withToken = (token: string): Record<string, Attempt> =>
  Object.fromEntries(
    origins.flatMap((origin, n) => {
      const client = new Client(origin, token, '/api/v1');
      return [
        [`REST ${n}`, async () => outcome((await client.get('/paints?limit=1')).status, 200, 401)],
        [`GraphQL ${n}`, async () => outcome((await client.graphql('{ paints { totalCount } }')).status, 200, 401)],
      ] as [string, Attempt][];
    }),
  );

/** Reads with a session over both APIs of both instances. */
const withSession = ({ cookies }: Browser): Record<string, Attempt> =>
  Object.fromEntries(
    origins.flatMap((origin, n) => {
      const browser = new Browser(origin, new Map(cookies));
      const read = () => browser.get('/api/v1/dashboard/analytics');
      return [
        [`session, REST ${n}`, async () => outcome((await read()).status, 200, 401)],
        [`session, GraphQL ${n}`, async () => outcome((await browser.graphql('{ me { id } }')).status, 200, 401)],
      ] as [string, Attempt][];
    }),
  );

/** What an admin alone may do, tried with a token and a session: without a title it is invalid, and changes nothing. */
function asAdmin(token: string, { cookies }: Browser): Record<string, Attempt> {
  const mutation = 'mutation { createTrainingProgram(input: { title: "" }) { id } }';
  const codes: Record<string, boolean> = { VALIDATION_ERROR: true, INSUFFICIENT_SCOPE: false };
  const graphql = async (client: Client) => {
    const { errors } = await client.graphql(mutation);
    const allowed = codes[String(errors[0]?.extensions.code)];
    if (allowed === undefined) throw new Error(JSON.stringify(errors));
    return allowed;
  };
  return Object.fromEntries(
    origins.flatMap((origin, n) => {
      const [client, browser] = [new Client(origin, token, '/api/v1'), new Browser(origin, new Map(cookies))];
      return [
        [`REST ${n}`, async () => outcome((await client.post('/training', {})).status, 422, 403)],
        [`GraphQL ${n}`, () => graphql(client)],
        [`session, GraphQL ${n}`, () => graphql(browser)],
        // Only admins and executives may.
        [`session, REST ${n}`, async () => outcome((await browser.get('/api/v1/ai-usage')).status, 200, 403)],
      ] as [string, Attempt][];
    }),
  );
}

/** A token of the nth user, as text. */
async function tokenOf({ company, users }: Tenant, n: number): Promise<string> {
  const wanted = { companyId: company.id, userId: users[n]?.id ?? '', name: 'test', scopes: ['*'], live: true };
  return (await createToken(service.database.prisma, wanted)).token;
}

test('withdrawn access ends within a second on both instances, over both APIs', async () => {
  const tenant = await service.tenant();
  const people = await signInAll(service, tenant);
  const admin = people.admin.at('');
  const mutate = async (browser: Browser, mutation: string) => {
    const { errors } = await browser.graphql(`mutation { ${mutation} }`);
    expect(errors).toEqual([]);
  };
  const idOf = (n: number) => tenant.users[n]?.id ?? '';
  const late: number[] = [];

  const [executives, members] = [await tokenOf(tenant, 1), await tokenOf(tenant, 2)];
  await mutate(admin, `setUserRole(id: "${idOf(1)}", role: ADMIN) { id }`);
  // A change of the role.
  late.push(
    ...(await duringChange(asAdmin(executives, people.executive), () =>
      mutate(admin, `setUserRole(id: "${idOf(1)}", role: MEMBER) { id }`),
    )),
  );
  // A token that is revoked, and a session that is ended in another browser.
  const revoked = await tokenOf(tenant, 1);
  const { id } = await service.database.prisma.apiToken.findFirstOrThrow({ where: { lastFour: revoked.slice(-4) } });
  await givePassword(service, idOf(1));
  const elsewhere = new Browser(service.origin);
  await elsewhere.signIn(tenant.users[1]?.email ?? '', password);
  late.push(
    ...(await duringChange({ ...withToken(revoked), ...withSession(people.executive) }, async () => {
      await mutate(admin, `revokeApiToken(id: "${id}") { id }`);
      await mutate(elsewhere, 'endOtherSessions { id }');
    })),
  );
  // A person who is deactivated.
  late.push(
    ...(await duringChange({ ...withToken(members), ...withSession(people.member) }, () =>
      mutate(admin, `deactivateUser(id: "${idOf(2)}") { id }`),
    )),
  );
  expect(late.filter((ms) => ms > withinMs)).toEqual([]);
});

test('a download ends when the access of its reader does', async () => {
  const tenant = await service.tenant();
  const token = await tokenOf(tenant, 2);
  const rows = 20_000;
  await service.database.query({
    text: `INSERT INTO notes (company_id, id, title, content, user_id)
           SELECT $1::uuid, gen_random_uuid(), 'Note ' || n, repeat('x', 1000), $2::uuid FROM generate_series(1, ${rows}) n`,
    values: [tenant.company.id, tenant.users[2]?.id],
  });
  /** Reads a download, with a pause after its first part. @returns how many rows came, and whether it was complete */
  const download = async (pause: () => Promise<unknown>) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };
    const [response] = (await once(get(`${service.origin}/api/v1/notes`, { headers }), 'response')) as [
      IncomingMessage,
    ];
    expect(response.statusCode).toBe(200);
    await once(response, 'readable');
    await pause();
    let length = 0;
    const ended = await new Promise<boolean>((resolve) => {
      response.on('data', (chunk: Buffer) => (length += chunk.filter((byte) => byte === 10).length));
      response.on('end', () => resolve(response.complete)).on('error', () => resolve(false));
    });
    return { ended, rows: length - 1 };
  };
  expect(await download(async () => {})).toEqual({ ended: true, rows });
  const where = { id: tenant.users[2]?.id };
  const cut = await download(async () => {
    await service.database.prisma.user.updateMany({ where, data: { deactivatedAt: new Date() } });
    await sleep(withinMs);
  });
  expect(cut.ended).toBe(false);
  expect(cut.rows).toBeLessThan(rows);
});
