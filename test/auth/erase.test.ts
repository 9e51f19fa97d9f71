import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { memberClient } from '../resources/members.ts';
import { Browser, password, signInAll } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('an erased user leaves their rows, and neither name nor address', async () => {
  const { prisma } = service.database;
  const tenant = await service.tenant('acme');
  const { admin } = await signInAll(service, tenant);
  const [ada, , cleo] = tenant.users;
  const client = await memberClient(service, tenant, 2);
  const request = (await client.post('/service-requests', { title: 'Lamp' })).row['id'];
  const mutate = async (field: string, args: string, id = cleo?.id) => {
    const { data, errors } = await admin.graphql(`mutation { ${field}(id: "${id}"${args}) { id fullName email } }`);
    return errors[0]?.extensions.code ?? data[field];
  };
  // A former name is in the log of changes.
  const former = { fullName: 'Cleo Former', email: 'former@acme.example' };
  for (const data of [former, { fullName: cleo?.fullName ?? '', email: cleo?.email ?? '' }])
    await prisma.user.updateMany({ where: { id: cleo?.id ?? '' }, data });
  // Webhooks were sent them: with their own row, and with those of others.
  const { id: companyId } = tenant.company;
  const webhook = await prisma.webhook.create({
    data: { companyId, userId: ada?.id ?? '', name: 'CRM', url: 'https://crm.example', secret: 's', position: '0' },
  });
  for (const [event, rowId, text] of [
    ['users.update', cleo?.id ?? null, former.fullName],
    ['service_requests.create', null, cleo?.fullName],
    ['service_requests.update', null, former.fullName],
  ] as const)
    await prisma.webhookDelivery.create({
      data: {
        companyId,
        webhookId: webhook.id,
        event,
        rowId,
        request: JSON.stringify({ text }),
        answer: `got ${text}`,
      },
    });
  const kept = { companyId, webhookId: webhook.id, event: 'paints.create', request: '{}', answer: 'ok' };
  await prisma.webhookDelivery.create({ data: kept });
  // Things are named after them, by themselves and by others.
  const { email = '', fullName = '' } = cleo ?? {};
  const ofCleo = { companyId, userId: cleo?.id ?? '' };
  const named = `${fullName}'s and ${fullName}nova's`;
  await prisma.webhook.update({ where: { companyId_id: { companyId, id: webhook.id } }, data: { name: named } });
  await prisma.apiToken.updateMany({ where: ofCleo, data: { name: named } });
  const saved = {
    query: `{ users(filter: { email: { eq: "${email}" } }) { totalCount } }`,
    variables: `{"a":"${email}"}`,
  };
  await prisma.savedQuery.create({ data: { ...ofCleo, ...saved, name: named } });
  await prisma.savedQuery.deleteMany({ where: ofCleo });
  const { id: queryId } = await prisma.savedQuery.create({ data: { ...ofCleo, ...saved, name: named } });
  await prisma.securityEvent.create({ data: { companyId, action: 'token_created', details: { token: named } } });
  // They did something, somebody tried to sign in as them, and an admin changed them.
  const theirs = { ipAddress: '203.0.113.7', userAgent: 'A rare browser' };
  const ofAdmin = { ipAddress: '203.0.113.8', userAgent: 'A common browser' };
  await prisma.securityEvent.createMany({
    data: [
      { companyId, action: 'token_created', actorId: cleo?.id, ...theirs },
      { action: 'sign_in_failed', personId: cleo?.id, ...theirs },
      { companyId, action: 'role_changed', actorId: ada?.id, personId: cleo?.id, ...ofAdmin },
    ],
  });
  await prisma.company.update({ where: { id: companyId }, data: { emailReplyTo: email, emailSenderName: fullName } });
  const guest = { company_slug: tenant.company.slug, guest_name: fullName, guest_email: email.toUpperCase() };
  expect((await client.post('/public/expected-packages', guest)).status).toBe(201);
  const confirmed = `, email: "${cleo?.email}"`;
  expect(await mutate('eraseUser', confirmed)).toBe('CONFLICT');
  await prisma.twoFactor.create({ data: { personId: cleo?.id ?? '', secret: 'encrypted', backupCodes: 'encrypted' } });
  await mutate('deactivateUser', '');
  expect(await mutate('eraseUser', `, email: "${ada?.email}"`)).toBe('VALIDATION_ERROR');
  expect(await mutate('eraseUser', confirmed)).toEqual({
    id: cleo?.id,
    fullName: 'Erased user',
    email: `${cleo?.id}@erased.invalid`,
  });
  expect((await admin.graphql(`{ serviceRequest(id: "${request}") { creator { fullName } } }`)).data).toEqual({
    serviceRequest: { creator: { fullName: 'Erased user' } },
  });
  expect(await prisma.twoFactor.count()).toBe(0);
  await mutate('reactivateUser', '');
  expect((await new Browser(service.origin).signIn(cleo?.email ?? '', password)).status).toBe(401);
  expect((await client.get('/paints')).status).toBe(401);

  const places = await prisma.securityEvent.findMany({
    where: { action: { in: ['token_created', 'sign_in_failed', 'role_changed'] }, actorId: { not: null } },
    select: { action: true, ipAddress: true, userAgent: true },
    orderBy: { action: 'asc' },
  });
  expect(places).toEqual([
    { action: 'role_changed', ...ofAdmin },
    { action: 'token_created', ipAddress: null, userAgent: null },
  ]);
  expect(await prisma.securityEvent.count({ where: { OR: [theirs, { userAgent: theirs.userAgent }] } })).toBe(0);

  const anonymous = `Erased user's and ${fullName}nova's`;
  expect(await prisma.savedQuery.findMany({ select: { id: true, name: true } })).toEqual([
    { id: queryId, name: anonymous },
  ]);
  expect((await prisma.apiToken.findFirst({ where: ofCleo }))?.name).toBe(anonymous);
  await prisma.savedQuery.deleteMany();
  expect(await prisma.webhookDelivery.count()).toBe(4);
  expect(await prisma.webhookDelivery.count({ where: { request: '{}', answer: 'ok' } })).toBe(1);
  // Their address is in no table: each one is searched as text.
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`;
  expect(tables.length).toBeGreaterThan(50);
  for (const { name } of tables) {
    const sql = `SELECT count(*)::int AS count FROM "${name}" t WHERE t::text ILIKE '%${cleo?.email}%' OR t::text ~* '${cleo?.fullName}(?!nova)' OR t::text ILIKE '%former%'`;
    const [found] = await prisma.$queryRawUnsafe<{ count: number }[]>(sql);
    expect({ name, count: found?.count }).toEqual({ name, count: 0 });
  }
});

test('a user who also belongs to another company is not erased', async () => {
  const { prisma } = service.database;
  const [one, two] = [await service.tenant('one'), await service.tenant('two')];
  const { admin } = await signInAll(service, one);
  const [, , cleo] = one.users;
  const { id = '', email = '', fullName = '' } = cleo ?? {};
  await prisma.user.create({ data: { id, companyId: two.company.id, email, fullName } });
  await admin.graphql(`mutation { deactivateUser(id: "${id}") { id } }`);
  const { errors } = await admin.graphql(`mutation { eraseUser(id: "${id}", email: "${email}") { id } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
  expect(await prisma.person.findUnique({ where: { id } })).toMatchObject({ email, fullName });
});
