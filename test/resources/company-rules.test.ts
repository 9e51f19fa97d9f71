// The rules that a company can turn on: no overlapping time records, and one desk for each person.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openSession } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

async function turnOn(input: Row): Promise<void> {
  const admin = (await openSession(service, tenant.users[0]?.id ?? '')).at('/api/v1');
  const mutation = `mutation ($input: UpdateCompanySettingsInput!) {
    updateCompanySettings(input: $input) { separateTimes singleDesk }
  }`;
  const { data } = await admin.graphql(mutation, { input });
  expect(data['updateCompanySettings']).toMatchObject(input);
}

const time = (hour: number) => `2026-03-02T${String(hour).padStart(2, '0')}:00:00Z`;
const work = (from: number, to: number | null, more: Row = {}) =>
  client.post('/time-clock/records', {
    clock_in_time: time(from),
    clock_out_time: to === null ? null : time(to),
    ...more,
  });

describe('time records of one person and type', () => {
  test('may overlap by default', async () => {
    expect([(await work(8, 12)).status, (await work(9, 11)).status]).toEqual([201, 201]);
  });

  test('do not overlap where the company says so', async () => {
    await turnOn({ separateTimes: true });
    const { row } = await work(8, 12);
    for (const [from, to] of [
      [9, 10],
      [7, 9],
      [11, 13],
      [7, 13],
      [8, 12],
      [7, null],
    ] as const) {
      const { status, error } = await work(from, to);
      expect([from, to, status]).toEqual([from, to, 409]);
      expect(error).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(String(row['id'])),
        details: { clock_in_time: expect.stringContaining(String(row['id'])) },
      });
    }
    expect((await work(9, 10, { type: 'break' })).status).toBe(201);
    expect((await work(9, 10, { user_id: tenant.users[1]?.id })).status).toBe(201);
    const after = await work(12, 13);
    expect([(await work(7, 8)).status, after.status]).toEqual([201, 201]);
    const path = `/time-clock/records/${String(after.row['id'])}`;
    expect((await client.patch(path, { clock_in_time: time(11) })).status).toBe(409);
    expect((await client.patch(path, { type: 'break', clock_in_time: time(9) })).status).toBe(409);
    expect((await client.patch(path, { notes: 'Late', clock_out_time: time(14) })).status).toBe(200);
    // An open record does not end.
    expect((await work(20, null)).status).toBe(201);
    expect((await work(22, 23)).status).toBe(409);
  });

  test('do not overlap when they are created at once', async () => {
    await turnOn({ separateTimes: true });
    const replies = await Promise.all([8, 8, 8, 8].map((from) => work(from, 12)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });
});

describe('desks of one person', () => {
  const desk = async () => String((await client.post('/butts-in-seats/desks', {})).row['id']);
  const sit = async (more: Row = {}) =>
    client.post('/butts-in-seats/employees', { desk_id: await desk(), start_date: '2040-01-01', ...more });

  test('may be several by default', async () => {
    expect([(await sit()).status, (await sit()).status]).toEqual([201, 201]);
  });

  test('are one at a time where the company says so', async () => {
    await turnOn({ singleDesk: true });
    const { row } = await sit({ end_date: '2040-01-31' });
    const id = String(row['id']);
    const { status, error } = await sit({ start_date: '2040-01-31' });
    expect([status, error]).toMatchObject([
      409,
      { code: 'CONFLICT', message: expect.stringContaining(id), details: { user_id: expect.stringContaining(id) } },
    ]);
    expect((await sit({ start_date: '2040-01-31', desk_id: null })).status).toBe(201);
    const others = await sit({ user_id: tenant.users[1]?.id });
    const next = await sit({ start_date: '2040-02-01' });
    expect([others.status, next.status]).toEqual([201, 201]);
    const change = (record: Row, input: Row) =>
      client.graphql(
        'mutation ($id: ID!, $input: UpdateWorkspaceRecordInput!) { updateWorkspaceRecord(id: $id, input: $input) { id } }',
        { id: record['id'], input },
      );
    for (const [record, input] of [
      [next.row, { startDate: '2040-01-31' }],
      [others.row, { userId: tenant.users[0]?.id }],
    ] as const)
      expect((await change(record, input)).errors).toMatchObject([
        { extensions: { code: 'CONFLICT', details: { userId: expect.any(String) } } },
      ]);
    expect((await change(next.row, { department: 'Legal' })).errors).toEqual([]);
  });

  test('are one when they are taken at once', async () => {
    await turnOn({ singleDesk: true });
    const desks = await Promise.all([desk(), desk(), desk()]);
    const replies = await Promise.all(desks.map((desk_id) => sit({ desk_id })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});
