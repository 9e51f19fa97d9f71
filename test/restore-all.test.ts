// Deletes one row of each resource of the sample data, restores it, and compares all tables with before.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { api } from '../src/schema/index.ts';
import { createDemo } from '../src/seed/index.ts';
import { Client, type Row } from './support/client.ts';
import { collections, typeOf } from './support/resources.ts';
import { Rows } from './support/rows.ts';
import { type Service, startService } from './support/service.ts';

jest.setTimeout(300_000);

let service: Service;
let client: Client;
let companyId: string;
let tables: string[];
beforeAll(async () => {
  service = await startService();
  const { token } = await createDemo(service.database);
  client = new Client(service.origin, token);
  const { prisma } = service.database;
  ({ id: companyId } = await prisma.company.findUniqueOrThrow({ where: { slug: 'demo' } }));
  await prisma.user.updateMany({ where: { companyId }, data: { role: 'ADMIN' } });
  const { rows } = await service.database.query({
    text: `SELECT table_name AS name FROM information_schema.columns
           WHERE table_schema = current_schema() AND column_name = 'company_id' ORDER BY table_name`,
  });
  tables = rows.map(({ name }) => String(name)).filter((name) => !notCompared.includes(name));
});
afterAll(() => service.close());

/** The logs, which tell of the deletion and of the restore, and what authentication counts. */
const notCompared = ['changes', 'change_horizons', 'security_events', 'api_tokens', 'idempotency_keys'];

/** All rows of the company, by their tables; periods of statuses have new numbers. */
async function look(company: string): Promise<Record<string, string>> {
  const each = tables.map((table) => {
    const left = table === 'status_periods' ? ` - 'seq' - 'period_id'` : '';
    return `SELECT '${table}' AS name, (SELECT string_agg(row, E'\\n' ORDER BY row) FROM (
      SELECT (to_jsonb(stored)${left})::text AS row FROM "${table}" AS stored WHERE company_id = $1) AS found) AS rows`;
  });
  const { rows } = await service.database.query({ text: each.join(' UNION ALL '), values: [company] });
  return Object.fromEntries(rows.map(({ name, rows }) => [String(name), String(rows)]));
}

const deletable = api.resources.filter(({ actions }) => actions.includes('delete'));

/** Runs the mutation of a row. */
async function mutate(by: Client, field: string, id: string) {
  const { data, errors } = await by.graphql<{ row: Row | null }>(`mutation { row: ${field}(id: "${id}") { id } }`);
  return { row: data.row, codes: errors.map(({ extensions }) => extensions.code) };
}

test('what is deleted of any resource comes back with all that went with it', async () => {
  let before = await look(companyId);
  const changed: Record<string, number> = {};
  const inUse: (typeof deletable)[number][] = [];
  for (const resource of deletable) {
    const { type, table } = resource;
    const { rows: stored } = await service.database.query({
      text: `SELECT id::text FROM "${table}" WHERE company_id = $1 ORDER BY id LIMIT 40`,
      values: [companyId],
    });
    let id: string | undefined;
    for (const row of stored) {
      if (!(await mutate(client, `delete${type}`, String(row['id']))).row) continue;
      id = String(row['id']);
      break;
    }
    if (id === undefined) {
      inUse.push(resource);
      continue;
    }
    const gone = await look(companyId);
    changed[type] = tables.filter((name) => gone[name] !== before[name]).length;
    expect({ type, ...(await mutate(client, `restore${type}`, id)) }).toEqual({ type, row: { id }, codes: [] });
    const after = await look(companyId);
    for (const name of tables) expect({ type, name, rows: after[name] }).toEqual({ type, name, rows: before[name] });
    before = after;
  }
  // Cascades, emptied references and periods of statuses have changed more tables than one.
  expect(Object.values(changed).filter((count) => count > 1).length).toBeGreaterThan(8);

  const tenant = await service.tenant();
  const rows = await Rows.of(service, tenant);
  for (const { type } of inUse) {
    const collection = collections.find((each) => typeOf(each) === type && each.on.delete);
    if (!collection) throw new Error(`${type} has no collection.`);
    const { id } = await rows.make(collection, { full: true });
    const full = await look(tenant.company.id);
    expect({ type, ...(await mutate(rows.client, `delete${type}`, String(id))) }).toMatchObject({ type, row: { id } });
    expect(await look(tenant.company.id)).not.toEqual(full);
    expect({ type, ...(await mutate(rows.client, `restore${type}`, String(id))) }).toMatchObject({ type, row: { id } });
    expect(await look(tenant.company.id)).toEqual(full);
  }
});
