// The order of messages where transactions end in another order than they begin.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebhookLogReader } from '../../src/background/webhooks/read-log.ts';
import { findLatestPositions } from '../../src/events/change-notifier.ts';
import { readStored } from '../../src/events/follow.ts';
import { noMailer } from '../../src/mail/index.ts';
import { loggedTypes } from '../../src/schema/changes/change-view.ts';
import { api } from '../../src/schema/index.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import { dataOf, WebhookService } from '../support/webhooks.ts';

let hooks: WebhookService;
beforeAll(async () => {
  hooks = await WebhookService.start();
});
afterAll(() => hooks.close());

test('an earlier change of a row is not sent after a later one, though the log has it on a later page', async () => {
  const { service, sql, receiver } = hooks;
  const id = await hooks.paint('First');
  await hooks.create(hooks.people.admin, { actions: ['UPDATE'] });
  const filler = await hooks.paint('Filler');
  // What the log has when a transaction that began first writes the row last: 100 changes between the two of the row.
  await hooks.client.patch(`/paints/${id}`, { name: 'Second' });
  for (let n = 0; n < 100; n++) await hooks.client.patch(`/paints/${filler}`, { name: `Filler ${n}` });
  await hooks.client.patch(`/paints/${id}`, { name: 'Third' });
  const changes = `SELECT xid::text, seq::text FROM changes WHERE row_id = $1 AND action = 'update' ORDER BY changes.seq`;
  const [earlier, later] = (await sql(changes, id)).rows;
  // They change places, but keep their numbers.
  const move = 'UPDATE changes SET xid = $1 WHERE row_id = $2 AND seq = $3';
  await sql(move, earlier?.['xid'], id, later?.['seq']);
  await sql(move, later?.['xid'], id, earlier?.['seq']);
  await waitForOlderTransactions(service.database);

  // One page is read, as if another instance went on from there.
  const dependencies = { database: service.database, api, mailer: noMailer, log: { warn: () => {} } };
  const reader = new WebhookLogReader(dependencies, loggedTypes(api.resources), () => {});
  const companyId = hooks.tenant.company.id;
  const newest = (await findLatestPositions(service.database, [companyId])).get(companyId);
  const part = newest ? await reader.findPart(companyId, newest) : 'done';
  if (typeof part === 'string') throw new Error('The webhook has nothing to read.');
  const { after, tables } = part;
  const page = () => readStored(service.database.prisma, { companyId }, { after, tables, limit: 100 });
  expect(await part.read(page)).toBe('more');
  const pending = (
    await sql('SELECT seq::text FROM webhook_deliveries AS delivery WHERE row_id = $1 ORDER BY delivery.seq', id)
  ).rows;
  expect(pending).toEqual([{ seq: earlier?.['seq'] }, { seq: later?.['seq'] }]);
  await hooks.deliverAll();
  const names = receiver.received
    .map(({ message }) => dataOf(message))
    .filter((data) => data['row_id'] === id)
    .map(({ after }) => (after as { name: unknown }).name);
  expect(names).toEqual(['Second', 'Third']);
  expect(receiver.received).toHaveLength(102);
});
