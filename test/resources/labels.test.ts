// The codes of labels are read from the printed page, as a phone does.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { firstPageOf, readPdf } from '../../src/files/pdf.ts';
import { labelSizeOf } from '../../src/schema/mailroom/label-sheet.ts';
import { signInAll } from '../support/browser.ts';
import type { Client } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let folder: string;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant('acme');
  client = await tenant.client();
  folder = await mkdtemp(join(tmpdir(), 'premises-labels-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const pages = 'http://localhost:4000/c/acme';
const template = async (label_size?: string) =>
  String((await client.post('/mailroom/label-templates', { name: 'Label', label_size })).row['id']);
const asset = async (asset_name: string) =>
  String((await client.post('/assets', { asset_name, model: 'X1' })).row['id']);

/** Its types are those of a module of ES, which it is not. */
const decode = createRequire(import.meta.url)('jsqr') as (
  data: Uint8ClampedArray,
  width: number,
  height: number,
) => { readonly data: string } | null;

/** What there is on the first page of a PDF: its code and its text. */
async function look(pdf: ArrayBuffer) {
  const path = join(folder, 'labels.pdf');
  await writeFile(path, Buffer.from(pdf));
  const { data, info } = await sharp(await firstPageOf(path, 1200))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const found = decode(new Uint8ClampedArray(data), info.width, info.height);
  const texts: string[] = [];
  await readPdf(path, async ({ text }) => texts.push(text) > 0);
  return { code: found?.data, texts };
}

const get = async (id: string, query: string, token = client.token) => {
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`${service.origin}/api/v1/mailroom/label-templates/${id}/labels?${query}`, { headers });
};

test('the code of a label leads to the page of its row', async () => {
  const id = await asset('Printer, “second” floor 印');
  const { row: building } = await client.post('/locations/buildings', { name: 'Annex' });
  const made = await client
    .at('')
    .graphql<{ createArea: { id: string } }>(
      'mutation ($input: CreateAreaInput!) { createArea(input: $input) { id } }',
      { input: { buildingId: building['id'], name: 'Room & board', floor: '4' } },
    );
  const guest = { company_slug: 'acme', guest_name: 'Ada', guest_email: 'ada@example.com' };
  const { row: expected } = await client.post('/public/expected-packages', guest);
  const packageId = (await client.get('/mailroom/expected-packages')).rows[0]?.['id'];
  expect(expected).toBeDefined();
  const cases = [
    [`assets=${id}`, `${pages}/assets/${id}`, 'Printer, “second” floor ?'],
    [
      `areas=${made.data.createArea.id}`,
      `${pages}/report?building=${String(building['id'])}&floor=4&room=Room+%26+board`,
      'Scan to report a problem',
    ],
    [`packages=${String(packageId)}`, `${pages}/expected-packages/${String(packageId)}`, 'Ada'],
  ] as const;
  for (const size of ['4x6', '100x50 mm', undefined])
    for (const [query, code, text] of cases) {
      const response = await get(await template(size), query);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      const found = await look(await response.arrayBuffer());
      expect({ size, code: found.code }).toEqual({ size, code });
      expect(found.texts.join(' ').replaceAll(/\s+/g, ' ')).toContain(text);
    }
});

test('a session gets a sheet by a link, with the rights of the person', async () => {
  const { member } = await signInAll(service, tenant);
  const [id, templateId] = [await asset('Projector'), await template()];
  const { data } = await member.graphql<{ labelTemplate: { labelsUrl: string } }>(
    `{ labelTemplate(id: "${templateId}") { labelsUrl } }`,
  );
  const url = new URL(data.labelTemplate.labelsUrl);
  const read = (path: string) => fetch(service.origin + path);
  const response = await read(`${url.pathname}${url.search}&assets=${id},${id}`);
  expect(response.status).toBe(200);
  expect((await look(await response.arrayBuffer())).texts.join(' ').match(/Projector/g)).toHaveLength(2);
  // A link is about one template, and no other route takes it.
  const other = url.pathname.replace(templateId, await template());
  expect((await read(`${other}${url.search}&assets=${id}`)).status).toBe(401);
  expect((await read(`/api/v1/files/${templateId}/content${url.search}`)).status).toBe(401);
});

test('300 labels fit on their sheets, and more are refused before anything is read', async () => {
  const [id, templateId] = [await asset('Chair'), await template('63x34mm')];
  const ids = (count: number) => `assets=${Array.from({ length: count }, () => id).join()}`;
  const response = await get(templateId, ids(300));
  expect(response.status).toBe(200);
  // Three columns of eight.
  expect((await look(await response.arrayBuffer())).texts).toHaveLength(13);
  const refused = await get(templateId, ids(301));
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 'BAD_REQUEST' } }]);
});

test('what cannot be printed is refused', async () => {
  const [id, templateId] = [await asset('Lamp'), await template()];
  const other = await (await service.tenant()).client();
  const theirs = String((await other.post('/assets', { asset_name: 'Theirs' })).row['id']);
  const { token } = await tenant.client(['shipping:read']);
  expect((await get(templateId, `assets=${id}`, token)).status).toBe(403);
  expect((await get(templateId, `assets=${id}`, other.token)).status).toBe(404);
  for (const query of ['', 'assets=x', `assets=${theirs}`, `assets=${id}&areas=${id}`])
    expect({ query, status: (await get(templateId, query)).status }).toEqual({ query, status: 400 });
  expect((await get(await template('large'), `assets=${id}`)).status).toBe(409);
});

test.each([
  ['4x6', [288, 432]],
  ['63 x 34 mm', [178.6, 96.4]],
  ['100×50', [283.5, 141.7]],
  ['2,5x1in', [180, 72]],
  ['large', undefined],
  ['1x1mm', undefined],
  ['999x10mm', undefined],
])('the size %j is %p points', (text, expected) => {
  const size = labelSizeOf(text);
  expect(size && [size.width, size.height].map((side) => Math.round(side * 10) / 10)).toEqual(expected);
});
