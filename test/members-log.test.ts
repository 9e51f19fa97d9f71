// What documents say of fields that are members of the JSON of a column, and the log of changes.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ownerContext } from '../src/background/owner.ts';
import { bodyOf } from '../src/background/webhooks/message.ts';
import { readPosition } from '../src/events/log.ts';
import { createSecret } from '../src/events/signature.ts';
import { noMailer } from '../src/mail/index.ts';
import { buildApi, filterWhere, matchStored, Planner } from '../src/resource/index.ts';
import { loggedTypes } from '../src/schema/changes/change-view.ts';
import type { Row } from './support/client.ts';
import { webhookWorker } from './support/log-worker.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { definitions, Sample, Samples } from './support/samples.ts';
import { dataOf, Receiver } from './support/webhooks.ts';

let api: Samples;
beforeAll(async () => {
  api = await Samples.start();
});
afterAll(() => api.close());

test('documents describe it', async () => {
  const { text: body } = await api.ask('GET', '/api/v1/openapi.json');
  const { components } = JSON.parse(body) as { components: { schemas: Record<string, { properties: Row }> } };
  expect(components.schemas['Sample']?.properties['shelf']).toMatchObject({
    type: ['integer', 'null'],
    description: 'The shelf that it is on.',
    examples: [7],
  });
  expect(components.schemas['CreateSampleInput']?.properties['supplier']).toMatchObject({ maxLength: 20 });
  const described = (await api.ask('GET', '/api/v1/meta')).json().data['resources'] as Row[];
  const { fields, list_fields: listed } = described.find(({ type }) => type === 'Sample') as {
    fields: Row[];
    list_fields: string[];
  };
  expect(fields.find(({ name }) => name === 'shelf')).toMatchObject({
    label: 'Shelf number',
    control: 'number',
    is_required: false,
    minimum: 1,
  });
  expect(listed).toEqual(['name', 'shelf']);
});

describe('the log', () => {
  test('has it in the images of rows, and among the fields that changed', async () => {
    const { id } = await api.create({ name: 'Elm', shelf: 4, price: 1.5 });
    const url = `/api/v1/samples/${String(id)}`;
    await api.ask('PATCH', url, { shelf: 5 });
    await api.ask('PATCH', url, { name: 'Elm 2' });
    const history = (await api.ask('GET', `${url}/history`)).json().data;
    expect(history.map(({ fields }) => fields)).toEqual([['name'], ['shelf'], []]);
    expect(history[1]).toMatchObject({
      before: { shelf: 4, price: 1.5, opened: null },
      after: { shelf: 5, price: 1.5, opened: null },
    });
    await waitForOlderTransactions(api.service.database);
    const { changes: feed } = (await api.ask('GET', '/api/v1/changes?resource=samples&limit=100')).json().data;
    expect((feed as Row[]).filter(({ row_id: row }) => row === id).map(({ after }) => (after as Row)['shelf'])).toEqual(
      [4, 5, 5],
    );
    const { text: lines } = await api.ask('GET', '/api/v1/snapshot');
    const snapshot = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    expect(snapshot.find(({ row_id: row }) => row === id)).toMatchObject({
      after: { shelf: 5, name: 'Elm 2' },
    });
  });

  test('has images that filters match by it', async () => {
    const built = buildApi(definitions);
    const { company, users } = api.tenant;
    const owner = { companyId: company.id, timeZone: 'UTC', userId: users[0]?.id ?? '', role: 'ADMIN' } as const;
    const context = ownerContext(api.service.database, built, owner, 'test');
    const rows = built.filterableOf(Sample);
    const images = [{ details: { shelf: 6 } }, { details: { shelf: 7, supplier: 'Blue' } }, { details: null }];
    const conditions = [{ shelf: { eq: 6 } }, { supplier: { startsWith: 'b' } }, { shelf: { isNull: true } }].map(
      (filter) => ({ where: filterWhere(rows, filter, context) }),
    );
    const matched = await matchStored(rows, images, conditions, context.reader);
    expect(matched.map((places) => [...places])).toEqual([[0], [1], [2]]);
  });

  test('is read by selections for messages of webhooks', async () => {
    const { id } = await api.create({ name: 'Fir', shelf: 6 });
    const { prisma } = api.service.database;
    const { xid, seq } = await prisma.change.findFirstOrThrow({
      where: { rowId: String(id) },
      orderBy: { seq: 'desc' },
    });
    const built = buildApi(definitions);
    const { company, users } = api.tenant;
    const messageOf = async (selection: string | null) => {
      const delivery = {
        ...{ id: String(id), webhookId: String(id), event: 'api.create', rowId: String(id) },
        ...{
          xid: String(xid),
          seq: String(seq),
          attempts: 0,
          createdAt: new Date(),
          url: '',
          name: 'Test',
          companySlug: 'acme',
        },
        ...{ resources: ['Sample'], filter: '{ shelf: { eq: 6 } }', selection, secrets: [], isActive: true },
        ...{ companyId: company.id, timeZone: 'UTC', userId: users[0]?.id ?? '', role: 'ADMIN' as const },
      };
      const planner = new Planner(built.schema, built.reads, 'member');
      const body = await bodyOf(
        { database: api.service.database, api: built, publicUrl: 'https://premises.example' },
        delivery,
        loggedTypes(built.resources),
        planner,
      );
      return body === undefined ? undefined : (JSON.parse(body) as { data: Row }).data;
    };
    expect(await messageOf(null)).toMatchObject({ after: { name: 'Fir', shelf: 6 } });
    expect(await messageOf('{ name shelf }')).toMatchObject({ row: { name: 'Fir', shelf: 6 } });
  });

  test('is sent to the webhooks whose filters match it as each change has left it', async () => {
    const { database } = api.service;
    const receiver = await Receiver.start();
    const warnings: unknown[] = [];
    const log = { warn: (what: unknown) => warnings.push(what) };
    const instance = { database, api: buildApi(definitions), mailer: noMailer, log };
    const worker = webhookWorker({ ...instance, allowedHosts: ['127.0.0.1'] });
    try {
      const { company, users } = api.tenant;
      const owner = { companyId: company.id, userId: users[0]?.id ?? '', resources: ['Sample'], actions: [] };
      await waitForOlderTransactions(database);
      const position = await readPosition(database.prisma, owner);
      const addWebhook = (name: string, filter: string) => {
        const url = `${receiver.url}/${name}`;
        return database.prisma.webhook.create({
          data: { ...owner, name, url, filter, position, secret: createSecret() },
        });
      };
      await addWebhook('high', '{ shelf: { gte: 6 } }');
      await addWebhook('blue', '{ or: [{ supplier: { startsWith: "b" } }, { price: { lt: 2 } }] }');
      const urlOf = ({ id }: Row) => `/api/v1/samples/${String(id)}`;
      const yew = urlOf(await api.create({ name: 'Yew', shelf: 10 }));
      const ivy = urlOf(await api.create({ name: 'Ivy', shelf: 5, supplier: 'Blue' }));
      await api.create({ name: 'Box' });
      await api.ask('PATCH', yew, { shelf: 2 });
      await api.ask('PATCH', yew, { price: 1.5 });
      await api.ask('PATCH', ivy, { shelf: 7 });
      await api.ask('PATCH', ivy, { supplier: null });
      await api.ask('DELETE', ivy);
      await waitForOlderTransactions(database);
      await worker.deliverPending();
      expect(warnings).toEqual([]);
      const sent = receiver.received.map(({ path, message }) => {
        const { action, fields, before, after } = dataOf(message);
        return [path, action, ((after ?? before) as Row)['name'], ...(fields as string[])].join(' ');
      });
      expect(sent.sort()).toEqual([
        '/blue create Ivy',
        '/blue update Ivy shelf',
        '/blue update Yew price',
        '/high create Yew',
        '/high delete Ivy',
        '/high update Ivy shelf',
        '/high update Ivy supplier',
      ]);
    } finally {
      await worker.close();
      await receiver.close();
    }
  });
});
