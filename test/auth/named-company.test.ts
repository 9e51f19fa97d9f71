// A request that names another company than the active one, or another person, reads and writes nothing.
import { afterAll, expect, test } from '@jest/globals';
import { readCompany, startSignInService } from './sign-in-service.ts';

const { service, acme, other, signedIn, addMember, close } = await startSignInService();
afterAll(close);

const named = (id: string) => ({ 'premises-company': id });
const query = 'mutation { createPaint(input: { name: "Named" }) { id } }';
const countPaints = () => service.database.prisma.paint.count({ where: { name: 'Named' } });
const inBrowser = 'Another company is active in this browser than Premises-Company says. Switch to it and try again.';

const email = 'both@acme.example';
await addMember(acme, email, 'ADMIN');
await addMember(other, email, 'ADMIN');

test('GraphQL of a session writes into the company that the page names, or not at all', async () => {
  const browser = (await signedIn(email)).at('');
  const [active, another] = (await readCompany(browser)) === 'acme' ? [acme, other] : [other, acme];
  const before = await countPaints();
  service.statements.length = 0;
  const refused = await browser.post('/graphql', { query }, named(another.company.id));
  expect(refused.json).toMatchObject({
    errors: [{ message: inBrowser, extensions: { code: 'CONFLICT', status: 409 } }],
  });
  expect(refused.status).toBe(409);
  // The session is looked up, and nothing else.
  expect(service.statements.filter((text) => !/sessions|rate_limit/.test(text))).toEqual([]);
  expect(await countPaints()).toBe(before);
  const allowed = await browser.post('/graphql', { query }, named(active.company.id.toUpperCase()));
  expect(allowed.json['errors']).toBeUndefined();
  expect(await countPaints()).toBe(before + 1);
  // After the switch in another tab, the first one is refused.
  await browser.patch('/auth/session', { company_id: another.company.id });
  expect((await browser.post('/graphql', { query }, named(active.company.id))).status).toBe(409);
  expect(await countPaints()).toBe(before + 1);
});

test('below /auth nothing happens for another company', async () => {
  const browser = (await signedIn(email)).at('');
  const [active, another] = (await readCompany(browser)) === 'acme' ? [acme, other] : [other, acme];
  const headers = named(another.company.id);
  for (const [method, path, body] of [
    ['PATCH', '/auth/session', { company_id: another.company.id }],
    ['POST', '/auth/company/export', {}],
    ['POST', '/auth/security-log', {}],
    ['POST', '/auth/sign-out', {}],
  ] as const) {
    const reply = await browser.request(method, path, { body, headers });
    expect({ path, status: reply.status, error: reply.error }).toMatchObject({
      path,
      status: 409,
      error: { code: 'CONFLICT', message: inBrowser },
    });
  }
  expect(await readCompany(browser)).toBe(active.company.slug);
  const reply = await browser.patch('/auth/session', { company_id: another.company.id }, named(active.company.id));
  expect(reply.status).toBe(200);
});

test('a token is refused for another company, in both APIs', async () => {
  const client = await acme.client();
  const headers = named(other.company.id);
  const message = 'This token belongs to another company than Premises-Company says.';
  expect(await client.request('GET', '/vendors', { headers })).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', message },
  });
  const graphql = await client
    .at('')
    .request('POST', '/graphql', { headers, body: { query: '{ vendors { totalCount } }' } });
  expect(graphql.json).toMatchObject({ errors: [{ message, extensions: { code: 'CONFLICT' } }] });
  const companyId = String(
    (await client.graphql<{ companies: { nodes: { id: string }[] } }>('{ companies { nodes { id } } }')).data.companies
      .nodes[0]?.id,
  );
  expect((await client.request('GET', '/vendors', { headers: named(companyId) })).status).toBe(200);
});

test('a company that is no id is refused', async () => {
  const browser = (await signedIn(email)).at('');
  const reply = await browser.request('POST', '/auth/sign-out', { body: {}, headers: named('acme') });
  expect(reply).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST', message: 'Premises-Company: must be the id of a company' },
  });
});

test('what was queued for one person is not written as another one', async () => {
  await addMember(acme, 'one@acme.example', 'ADMIN');
  const browser = (await signedIn('one@acme.example')).at('');
  const session = await browser.request('GET', '/auth/session', {});
  const { id } = (session.json['data'] as { readonly person: { readonly id: string } }).person;
  const before = await countPaints();
  const [someone] = acme.users;
  const refused = await browser.post('/graphql', { query }, { 'premises-person': someone?.id ?? '' });
  expect([refused.status, refused.json]).toMatchObject([
    409,
    { errors: [{ message: 'Somebody else is signed in than Premises-Person says. Nothing was done.' }] },
  ]);
  expect(await countPaints()).toBe(before);
  const allowed = await browser.post('/graphql', { query }, { 'premises-person': id });
  expect([allowed.status, allowed.json['errors']]).toEqual([200, undefined]);
  expect(await countPaints()).toBe(before + 1);
  const client = await acme.client();
  expect((await client.request('GET', '/vendors', { headers: { 'premises-person': id } })).status).toBe(409);
  expect(await browser.post('/graphql', { query }, { 'premises-person': 'me' })).toMatchObject({
    status: 400,
    json: { errors: [{ message: 'Premises-Person: must be the id of a person' }] },
  });
});
