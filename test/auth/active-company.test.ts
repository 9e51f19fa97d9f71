import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createToken } from '../../src/auth/tokens.ts';
import { Browser } from '../support/browser.ts';
import { Client, type Row } from '../support/client.ts';
import { readCompany, readSession, startSignInService } from './sign-in-service.ts';

const { service, acme, other, signedIn, addMember, close } = await startSignInService();
afterAll(close);

describe('the active company', () => {
  test('can be any company of the person, and is kept for the next sign-in', async () => {
    const email = 'two@acme.example';
    const there = await addMember(acme, email);
    await addMember(other, email, 'ADMIN');
    const browser = await signedIn(email);
    await browser.graphql('mutation { createPaint(input: {name: "Live paint"}) { id } }');
    expect(await readCompany(browser)).toBe('acme');
    expect((await readSession(browser))?.['companies']).toMatchObject([
      { slug: 'acme', role: 'member' },
      { slug: 'acme-sandbox', role: 'member' },
      { slug: 'other', role: 'admin' },
      { slug: 'other-sandbox', role: 'admin' },
    ]);

    const sandbox = await browser.patch('/auth/session', { company_id: acme.company.sandbox.id });
    expect(sandbox).toMatchObject({
      status: 200,
      row: { company: { slug: 'acme-sandbox', is_sandbox: true }, role: 'member' },
    });
    expect((await browser.graphql('{ paints(search: "Live paint") { totalCount } }')).data).toEqual({
      paints: { totalCount: 0 },
    });

    expect(await browser.patch('/auth/session', { company_id: other.company.id })).toMatchObject({
      status: 200,
      row: { company: { slug: 'other' }, role: 'admin' },
    });
    expect(await readCompany(browser)).toBe('other');
    expect(await readCompany(await signedIn(email))).toBe('other');
    expect((await browser.graphql<{ me: { id: string } }>('{ me { id } }')).data.me.id).toBe(there.id);
  });

  test('is one of the visible companies, and the only one whose rows are visible', async () => {
    const email = 'sees@acme.example';
    const { id } = await addMember(acme, email);
    await addMember(other, email);
    const anonymous = await service.tenant();
    for (const tenant of [acme, other, anonymous]) {
      for (const live of [true, false])
        await (await tenant.client(['*'], { live })).post('/locations/buildings', {
          name: `House of ${tenant.company.slug}`,
        });
    }
    const browser = await signedIn(email);
    const lists =
      '{ slug few: users(first: 1) { totalCount nodes { id } } users(offset: 1) { totalCount nodes { id } } buildings { totalCount edges { node { name users: serviceRequests { totalCount } } } } }';
    const look = async () => {
      const { data, errors } = await browser.graphql<{
        me: { companies: { slug: string }[] };
        companies: { totalCount: number; nodes: Row[]; aggregates: Row[] };
      }>(
        `{ me { companies { slug } } companies(sort: SLUG, order: ASC) { totalCount nodes ${lists} aggregates { count } } }`,
      );
      expect(errors).toEqual([]);
      const {
        me,
        companies: { totalCount, nodes, aggregates },
      } = data;
      expect(nodes.map(({ slug }) => slug)).toEqual(me.companies.map(({ slug }) => slug).sort());
      expect([totalCount, aggregates]).toEqual([nodes.length, [{ count: nodes.length }]]);
      return nodes;
    };
    const none = {
      few: { totalCount: 0, nodes: [] },
      users: { totalCount: 0, nodes: [] },
      buildings: { totalCount: 0, edges: [] },
    };
    const users = await service.database.prisma.user.count({ where: { companyId: acme.company.id } });
    const all = {
      few: { totalCount: users, nodes: [expect.anything()] },
      users: { totalCount: users },
      buildings: { totalCount: 1, edges: [{ node: { name: 'House of acme' } }] },
    };
    expect(await look()).toMatchObject([
      { slug: 'acme', ...all },
      { slug: 'acme-sandbox', ...none },
      { slug: 'other', ...none },
      { slug: 'other-sandbox', ...none },
    ]);

    const one = (companyId: string) =>
      browser.graphql(`query ($id: ID!) { company(id: $id) ${lists} }`, { id: companyId });
    expect((await one(other.company.id)).data).toEqual({ company: { slug: 'other', ...none } });
    expect((await one(acme.company.id)).data).toMatchObject({ company: { slug: 'acme', ...all } });
    const never = await one(randomUUID());
    expect(never).toMatchObject({
      data: { company: null },
      errors: [{ path: ['company'], extensions: { code: 'NOT_FOUND', status: 404 } }],
    });
    for (const foreign of [anonymous.company.id, anonymous.company.sandbox.id])
      expect((await one(foreign)).errors).toEqual(never.errors);

    // A token sees its own company only; the company of an ended membership is no longer visible.
    const { token } = await createToken(service.database.prisma, {
      companyId: acme.company.id,
      userId: id,
      name: 'test',
      scopes: ['*:read'],
      live: true,
    });
    const program = new Client(service.origin, token);
    expect((await program.graphql('{ companies { nodes { slug } } }')).data).toEqual({
      companies: { nodes: [{ slug: 'acme' }] },
    });
    expect((await program.get('/companies')).rows).toMatchObject([{ slug: 'acme' }]);
    expect((await program.get(`/companies/${other.company.id}`)).status).toBe(404);
    await service.database.prisma.user.deleteMany({ where: { id, companyId: other.company.id } });
    expect((await look()).map(({ slug }) => slug)).toEqual(['acme', 'acme-sandbox', 'other-sandbox']);
    expect((await one(other.company.id)).errors).toEqual(never.errors);
  });

  test('cannot be another company', async () => {
    const browser = await signedIn();
    for (const [company_id, message] of [
      [other.company.id, 'must be one of your companies'],
      [randomUUID(), 'must be one of your companies'],
      ['x', 'must be a uuid'],
      [7, 'must be a uuid'],
      [null, 'must not be null'],
      [undefined, 'is required'],
    ])
      expect(await browser.patch('/auth/session', { company_id })).toMatchObject({
        status: 422,
        details: { company_id: message },
      });
    expect(await new Browser(service.origin).patch('/auth/session', { company_id: acme.company.id })).toMatchObject({
      status: 401,
      error: { code: 'INVALID_TOKEN' },
    });
    expect(await readCompany(browser)).toBe('acme');
  });

  test('is lost at once when the membership ends, and another can be selected', async () => {
    const { prisma } = service.database;
    const email = 'moves@acme.example';
    const { id } = await addMember(acme, email);
    await addMember(other, email);
    const browser = await signedIn(email);
    expect(await readCompany(browser)).toBe('acme');

    await prisma.user.deleteMany({ where: { id, companyId: { in: [acme.company.id, acme.company.sandbox.id] } } });
    expect(await browser.graphql('{ paints { totalCount } }')).toMatchObject({
      status: 401,
      errors: [{ extensions: { code: 'INVALID_TOKEN' } }],
    });
    expect(await browser.at('/api/v1').get('/dashboard/analytics')).toMatchObject({ status: 401 });
    expect(await readSession(browser)).toMatchObject({
      company: null,
      role: null,
      companies: [{ slug: 'other' }, { slug: 'other-sandbox' }],
    });
    expect(await browser.patch('/auth/session', { company_id: acme.company.id })).toMatchObject({ status: 422 });
    expect(await browser.patch('/auth/session', { company_id: other.company.id })).toMatchObject({ status: 200 });
    expect(await readCompany(browser)).toBe('other');

    await prisma.user.deleteMany({ where: { id } });
    expect(await browser.graphql('{ paints { totalCount } }')).toMatchObject({ status: 401 });
    expect(await readSession(browser)).toMatchObject({ company: null, companies: [] });
  });

  test('and the role in it are read with every request', async () => {
    const { id } = await addMember(acme, 'risen@acme.example');
    const browser = (await signedIn('risen@acme.example')).at('/api/v1');
    expect((await browser.get('/ai-usage')).status).toBe(403);
    await service.database.prisma.user.updateMany({ where: { id }, data: { role: 'EXECUTIVE' } });
    expect((await browser.get('/ai-usage')).status).toBe(200);
  });
});
