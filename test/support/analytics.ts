import { expect } from '@jest/globals';
import type { Client, Row } from './client.ts';

/** Where the dashboard's analytics are. */
export const path = '/dashboard/analytics';

/** The analytics in either mode, which must agree. */
export async function analytics(client: Client, query: Row = {}): Promise<Row> {
  const rpc = await client.get(path, { ...query, mode: 'rpc' });
  const batch = await client.get(path, { ...query, mode: 'batch' });
  expect({ status: batch.status, row: batch.row }).toEqual({ status: rpc.status, row: rpc.row });
  const order = (text: string) => text.slice(0, text.indexOf('"meta"'));
  expect(order(batch.text)).toBe(order(rpc.text));
  expect((await client.get(path, query)).row).toEqual(rpc.row);
  return rpc.row;
}
