// The export of each resource is a file to import: where its rows are, nothing changes; elsewhere errors are clear.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { importFile } from '../support/import-file.ts';
import { collectionsWith, typeOf } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let other: Tenant;
let rows: Rows;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  other = await service.tenant();
  rows = await Rows.of(service, tenant);
});
afterAll(() => service.close());

describe.each(collectionsWith('list', 'create', 'update'))('the export of %s', (_path, collection) => {
  test('is imported again', async () => {
    const type = typeOf(collection);
    for (const full of [false, true]) await rows.make(collection, { full });
    const path = fill(collection.path, await rows.parents(collection.path));
    const { text, status } = await rows.client.get(path, {}, { accept: 'text/csv' });
    expect(status).toBe(200);
    const count = (await rows.client.get(path, { limit: 1 })).json['meta'] as { total: number };
    const same = await importFile({ service, tenant }, type, text, { mode: 'upsert' });
    expect(same).toMatchObject({ created: 0, updated: 0, unchanged: count.total, errors: [] });
    // Without ids they are other rows, whose references the other company lacks.
    const elsewhere = await importFile({ service, tenant: other }, type, text, { mapping: { id: null } });
    expect(elsewhere.created + elsewhere.errors.length).toBe(count.total);
    for (const error of elsewhere.errors) expect(error).toMatch(/^\d+ (\w+(\.\w+)*: [^:]|[A-Z])/);
  });
});
