import { expect } from '@jest/globals';
import type { Client, Reply, Row } from '../../support/client.ts';

export const idOf = ({ id }: Row): string => String(id);

/** The address of a row below /procurement. */
export const at = (path: string, row: Row): string => `/procurement/${path}/${idOf(row)}`;

/** How many replies have each status. */
export function countStatuses(replies: readonly Reply[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Makes `count` of something at once. */
export const times = <Made>(count: number, make: (n: number) => Promise<Made>): Promise<Made[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

/** Statuses, and for each of them others. */
type Statuses = Readonly<Record<string, readonly string[]>>;

/** Makes the rows that procurement is about, as the caller that `caller` names at the time. */
export function makers(caller: () => Client) {
  const make = async (path: string, body: Row = {}): Promise<Row> => {
    const { status, text, row } = await caller().post(path, body);
    expect({ status, text }).toEqual({ status: 201, text });
    return row;
  };

  /**
   * Tries every transition of a resource, from each status to each other.
   * @param ways the statuses to go through to reach each status
   * @param allowed the statuses that may follow each status
   */
  async function expectTransitions(path: string, body: Row, ways: Statuses, allowed: Statuses): Promise<void> {
    const begin = async (from: string) => {
      const row = at(path, await make(`/procurement/${path}`, body));
      for (const status of ways[from] ?? []) expect((await caller().patch(row, { status })).status).toBe(200);
      return row;
    };
    const statuses = Object.keys(ways);
    expect(statuses.length).toBeGreaterThan(1);
    for (const from of statuses) {
      const row = await begin(from);
      for (const to of statuses.filter((status) => status !== from && !allowed[from]?.includes(status))) {
        expect([from, to, (await caller().patch(row, { status: to })).status]).toEqual([from, to, 409]);
      }
      expect((await caller().patch(row, { status: from })).status).toBe(200);
      expect((await caller().get(row)).row['status']).toBe(from);
      for (const to of allowed[from] ?? []) {
        const changed = await caller().patch(await begin(from), { status: to });
        expect([from, to, changed.row['status']]).toEqual([from, to, to]);
      }
    }
  }

  return {
    expectTransitions,
    requisition: (body: Row = {}) => make('/procurement/requisitions', { title: 'Chairs', ...body }),
    order: (body: Row = {}) => make('/procurement/orders', body),
    receive: (body: Row = {}) => caller().post('/procurement/receiving', body),
    transfer: (body: Row = {}) => caller().post('/procurement/transfers', body),
    item: async (body: Row = {}) => idOf(await make('/inventory', { name: 'Bulb', ...body })),
    vendor: async (company_name = 'Acme') => idOf(await make('/vendors', { company_name })),
    building: async (name: string) => idOf(await make('/locations/buildings', { name })),
  };
}
