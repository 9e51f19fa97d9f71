import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDemo } from '../../src/seed/index.ts';
import { NotificationSetup } from '../support/notifications.ts';

let setup: NotificationSetup;
beforeAll(async () => {
  setup = await NotificationSetup.start();
});
afterAll(() => setup.stop());

test('sample data is listed, and nobody gets email of it', async () => {
  const { database } = setup.service;
  await createDemo(database);
  await setup.deliver();
  expect(setup.mails.messages).toEqual([]);
  const { id: companyId } = await database.prisma.company.findUniqueOrThrow({ where: { slug: 'demo' } });
  expect(await database.prisma.notification.count({ where: { companyId } })).toBeGreaterThan(100);
  // What happens to it afterwards is no sample.
  const request = await database.prisma.serviceRequest.findFirstOrThrow({
    where: { companyId, assignedTo: { not: null } },
  });
  await database.query({ text: `UPDATE service_requests SET floor = '9' WHERE id = $1`, values: [request.id] });
  await setup.deliver();
  expect(setup.mails.messages.length).toBeGreaterThan(0);
});
