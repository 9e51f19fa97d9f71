import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createUser } from '../../src/auth/accounts.ts';
import { deactivate, erase } from '../../src/auth/members.ts';
import { commandLine } from '../../src/auth/security-log.ts';
import { memberClient } from '../resources/members.ts';
import { Browser, password, signInAll } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('an erased user leaves their rows, without name and address, and cannot sign in', async () => {
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
  const { id: companyId } = tenant.company;
  const { email = '', fullName = '' } = cleo ?? {};
  // Things that others named stay as they are.
  const named = { name: fullName, query: `{ users(filter: { email: { eq: "${email}" } }) { totalCount } }` };
  await prisma.savedQuery.create({ data: { companyId, userId: ada?.id ?? '', ...named } });
  await prisma.company.update({ where: { id: companyId }, data: { emailReplyTo: email, emailSenderName: fullName } });
  await prisma.person.update({ where: { id: cleo?.id }, data: { language: 'de', timeZone: 'Europe/Berlin' } });
  const guest = { company_slug: tenant.company.slug, guest_name: fullName, guest_email: email.toUpperCase() };
  expect((await client.post('/public/expected-packages', guest)).status).toBe(201);
  const confirmed = `, email: "${cleo?.email}"`;
  expect(await mutate('eraseUser', confirmed)).toBe('CONFLICT');
  await prisma.twoFactor.create({ data: { personId: cleo?.id ?? '', secret: 'encrypted', backupCodes: 'encrypted' } });
  await mutate('deactivateUser', '');
  expect(await mutate('eraseUser', `, email: "${ada?.email}"`)).toBe('VALIDATION_ERROR');
  const signedInAt = (createdAt: Date) => prisma.session.updateMany({ data: { createdAt } });
  await signedInAt(new Date(Date.now() - 3_601_000));
  expect(await mutate('eraseUser', confirmed)).toBe('REAUTHENTICATION_REQUIRED');
  expect(await prisma.user.findFirst({ where: { id: cleo?.id } })).toMatchObject({ fullName });
  await signedInAt(new Date());
  expect(await mutate('eraseUser', confirmed)).toEqual({
    id: cleo?.id,
    fullName: 'Erased user',
    email: `${cleo?.id}@erased.invalid`,
  });
  expect((await admin.graphql(`{ serviceRequest(id: "${request}") { creator { fullName } } }`)).data).toEqual({
    serviceRequest: { creator: { fullName: 'Erased user' } },
  });
  expect(await prisma.twoFactor.count()).toBe(0);
  const person = await prisma.person.findUnique({ where: { id: cleo?.id } });
  expect(person).toMatchObject({ language: null, timeZone: null });
  await mutate('reactivateUser', '');
  expect((await new Browser(service.origin).signIn(cleo?.email ?? '', password)).status).toBe(401);
  expect((await client.get('/paints')).status).toBe(401);

  expect(await prisma.savedQuery.findFirst()).toMatchObject(named);
  expect(await prisma.company.findUnique({ where: { id: companyId } })).toMatchObject({
    emailReplyTo: null,
    emailSenderName: null,
  });
  expect(await prisma.expectedPackage.findMany()).toMatchObject([
    { guestName: 'Erased user', guestEmail: `${cleo?.id}@erased.invalid` },
  ]);
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

test('invitations of an erased user are deleted in any case, and no others', async () => {
  const { prisma } = service.database;
  const { company, users } = await service.tenant('invited');
  const [ada] = users;
  const user = { companyId: company.id, email: 'iris_i@inn.example', fullName: 'Iris', role: 'MEMBER' } as const;
  const member = { companyId: company.id, userId: (await createUser(prisma, user)).id };
  for (const email of ['IRIS_I@inn.example', 'iris_i@inn.example', 'iris.i@inn.example', 'irisxi@inn.example'])
    await prisma.invitation.create({
      data: {
        ...{ companyId: company.id, email, fullName: 'Iris', tokenHash: Buffer.from(email) },
        ...{ expiresAt: new Date(), invitedBy: ada?.id ?? '' },
      },
    });
  await deactivate(prisma, member, commandLine);
  await erase(prisma, member, commandLine);
  const left = await prisma.invitation.findMany({ orderBy: { email: 'asc' }, select: { email: true } });
  expect(left).toEqual([{ email: 'iris.i@inn.example' }, { email: 'irisxi@inn.example' }]);
});
