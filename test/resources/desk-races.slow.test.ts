import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { refresh } from '../support/stale.ts';
import { countStatuses, date, day } from './days.ts';
import { deskActions, desks, records } from './desk-rows.ts';

let service: Service;
let client: Client;
let tenant: Tenant;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const { desk, isAssigned, sit, seat, update } = deskActions(() => client);

describe('concurrently', () => {
  test('one gets the desk for a future period', async () => {
    const id = await desk();
    const replies = await countStatuses(30, (n) =>
      sit(id, { start_date: day(10 + n), end_date: n % 2 ? null : day(60) }),
    );
    expect(replies).toEqual({ 201: 1, 409: 29 });
  });

  test('one record gets the desk', async () => {
    const id = await desk();
    expect(await countStatuses(30, () => sit(id))).toEqual({ 201: 1, 409: 29 });
    expect(await isAssigned(id)).toBe(true);
    expect((await client.get(records, { desk_id: id })).meta.total).toBe(1);
  });

  test('one record gets the desk, whether new or moved', async () => {
    for (let round = 0; round < 2; round++) {
      const seats = await Promise.all(Array.from({ length: 12 }, () => seat()));
      const id = await desk();
      const moves = seats.map(async ({ record }) => {
        const answer = await update(record, { deskId: id });
        return { status: answer && 'code' in answer ? (answer['code'] === 'CONFLICT' ? 409 : 500) : 201 };
      });
      const comes = Array.from({ length: 18 }, () => sit(id));
      const all = await Promise.all(comes.flatMap((come, n) => [come, ...moves.slice(n, n + 1)]));
      expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(29).fill(409)]);
      expect(await isAssigned(id)).toBe(true);
      const left = await Promise.all(seats.map(({ id }) => isAssigned(id)));
      expect(left.filter((assigned) => !assigned)).toHaveLength(
        (await client.get(records, { desk_id: id, id: seats.map(({ record }) => record).join() })).meta.total,
      );
    }
  });

  test('one record gets the desk of an ended one', async () => {
    const { id, record } = await seat();
    await service.database.prisma.workspaceRecord.updateMany({
      where: { id: record },
      data: { endDate: date(day(-1)) },
    });
    await refresh(service, tenant);
    expect(await countStatuses(30, (n) => (n % 2 ? sit(id) : client.get(desks)))).toEqual({ 200: 15, 201: 1, 409: 14 });
    expect(await isAssigned(id)).toBe(true);
  });

  test('a desk that is taken and freed by hand has the state of its record', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await desk({ is_assigned: true });
      const [taken] = await Promise.all([sit(id), client.patch(`${desks}/${id}`, { is_assigned: false })]);
      expect([taken.status, await isAssigned(id)]).toEqual([201, true]);
    }
  });

  test('users who swap desks in a circle have one desk each', async () => {
    const seats = await Promise.all(Array.from({ length: 6 }, () => seat()));
    const free = await desk();
    const places = [...seats.map(({ id }) => id), free];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => update(seats[n % 6]?.record ?? '', { deskId: places[(n * 5 + 1) % 7] })),
    );
    for (const answer of answers) if (answer && 'code' in answer) expect(answer['code']).toBe('CONFLICT');
    const rows = (await client.get(records, { id: seats.map(({ record }) => record).join() })).rows;
    const taken = rows.map(({ desk_id }) => String(desk_id));
    expect(new Set(taken).size).toBe(6);
    for (const id of places) expect(await isAssigned(id)).toBe(taken.includes(id));
  });
});
