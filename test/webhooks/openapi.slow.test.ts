// The messages that webhooks really get, against the OpenAPI document.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { logOccurrences } from '../../src/events/occurrences.ts';
import { openapi } from '../../src/rest/openapi/document.ts';
import type { OpenapiDocument } from '../../src/rest/openapi/types.ts';
import { occurrences } from '../../src/schema/changes/occurrences.ts';
import { api } from '../../src/schema/index.ts';
import type { Row } from '../support/client.ts';
import { collections, typeOf } from '../support/resources.ts';
import { Rows } from '../support/rows.ts';
import { dataOf, type Received, WebhookService } from '../support/webhooks.ts';

let hooks: WebhookService;
let document: OpenapiDocument;
const ajv = new Ajv2020({ strict: false, allErrors: true });

beforeAll(async () => {
  hooks = await WebhookService.start();
  document = openapi(api, 'http://localhost:4000', ['/api/v1', '/v1']);
  formats.default(ajv);
  for (const name of ['int32', 'int64', 'double']) ajv.addFormat(name, true);
  ajv.addSchema(document, 'openapi');
});
afterAll(() => hooks.close());

/** What the document says against a message; nothing if it is as described. */
function problemsOf({ headers, message }: Received): unknown {
  const [name = ''] = String(message['type']).split('.');
  const at = ['webhooks', name, 'post', 'requestBody', 'content', 'application/json', 'schema'];
  const pointer = at.map((step) => step.replaceAll('/', '~1')).join('/');
  const validate = ajv.getSchema(`openapi#/${pointer}`);
  if (!validate) return `${name} is not in the document`;
  if (!validate(message)) return { type: message['type'], errors: validate.errors };
  const described = Object.values(document.components['parameters'] ?? {}) as unknown as {
    in: string;
    name: string;
    schema: Row;
  }[];
  return described
    .filter((one) => one.in === 'header' && one.name.startsWith('webhook-'))
    .filter((one) => !ajv.validate(one.schema, headers[one.name]))
    .map((one) => `${one.name}: ${String(headers[one.name])}`)[0];
}

test('every resource has a message, and what is sent is as described', async () => {
  await hooks.create(hooks.people.admin, { resources: [] });
  const rows = await Rows.of(hooks.service, hooks.tenant, true, 2);
  for (const collection of collections)
    if (collection.on.list && typeOf(collection) !== 'Company')
      for (const full of [true, false]) await rows.list(collection, { full });
  const { database } = hooks.service;
  await database.prisma.reminder.updateMany({ data: { dueDate: new Date(0), status: 'PENDING' } });
  await database.prisma.inventoryItem.updateMany({ data: { quantity: 0, reorderPoint: 5 } });
  await logOccurrences(database.prisma, occurrences);
  const { client } = hooks;
  const { row: item } = await client.post('/inventory', { name: 'Lamp' });
  const line = { item_id: item['id'], quantity: 2 };
  await client.post('/procurement/requisitions', { title: 'Lamps', line_items: [line] });
  const { row: order } = await client.post('/procurement/orders', { status: 'sent', line_items: [line] });
  await client.post('/procurement/receiving', { purchase_order_id: order['id'], line_items: [line] });
  await client.patch('/time-clock/settings', { rounding_minutes: 15 });
  await database.prisma.company.updateMany({ data: { name: 'Acme Ltd' } });
  const gone = await hooks.paint('Gone');
  await client.delete(`/paints/${gone}`);
  const webhookId = String((await hooks.list(hooks.people.admin))[0]?.['id']);
  await hooks.mutate(hooks.people.admin, 'sendTestWebhook', { webhookId }, 'id');
  await hooks.deliverAll();

  const { received } = hooks.receiver;
  for (const each of received) expect(problemsOf(each)).toBeUndefined();
  const types = new Set(received.map(({ message }) => String(message['type'])));
  for (const type of ['paints.delete', 'reminders.due', 'inventory_items.low_stock', 'reminders.update', 'test'])
    expect(types).toContain(type);
  const receivedTypes = new Set([...types].map((type) => type.split('.')[0]));
  expect(Object.keys(document.webhooks).filter((name) => !receivedTypes.has(name))).toEqual([]);
});

test('a message with a selection is as described', async () => {
  hooks.receiver.received.length = 0;
  await hooks.create(hooks.people.admin, { name: 'Selected', selection: '{ name brand }' });
  const id = await hooks.paint('Sage');
  await hooks.deliverAll();
  const selected = hooks.receiver.received.filter(({ message }) => 'row' in dataOf(message));
  expect(selected.map(({ message }) => dataOf(message)['row_id'])).toEqual([id]);
  for (const each of selected) expect(problemsOf(each)).toBeUndefined();
});
