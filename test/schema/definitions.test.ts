// Definitions are values: their order does not affect the result, and they register nothing.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type GraphQLObjectTypeExtensions, lexicographicSortSchema, printSchema } from 'graphql';
import { type Api, buildApi, type Definition } from '../../src/resource/index.ts';
import { api, definitions } from '../../src/schema/index.ts';
import { routes } from '../support/api.ts';

const print = ({ schema }: Api) => printSchema(lexicographicSortSchema(schema));
/** What types are to their readers, by their names. */
const extensionsOf = ({ schema }: Api) =>
  Object.fromEntries(
    Object.values(schema.getTypeMap()).map(({ name, extensions }) => {
      const { model, readScope, isOwned, isConnection, isEdge } = extensions as GraphQLObjectTypeExtensions;
      return [name, { model, readScope, isOwned, isConnection, isEdge }];
    }),
  );
const names = ({ operations }: Api) => operations.map(({ kind, field, path }) => `${kind} ${field} ${path}`).sort();

/** The definitions in another order, the same on every run. */
const shuffled = (list: readonly Definition[]): Definition[] =>
  list
    .map((definition, place) => ({ definition, key: (place * 7919) % 104_729 }))
    .sort((one, other) => (one.key % 97) - (other.key % 97) || other.key - one.key)
    .map(({ definition }) => definition);

describe.each([
  ['backwards', [...definitions].reverse()],
  ['shuffled', shuffled(definitions)],
])('the definitions, %s', (_, reordered) => {
  const other = buildApi(reordered);

  test('are the same in another order', () => {
    expect(reordered).not.toEqual(definitions);
    expect(new Set(reordered)).toEqual(new Set(definitions));
  });

  test('build the same schema', () => {
    expect(print(other)).toBe(print(api));
  });

  test('build the same operations with the same scopes', () => {
    expect(names(other)).toEqual(names(api));
    expect(extensionsOf(other)).toEqual(extensionsOf(api));
  });
});

/** What GraphQL changes and REST does not, and why. */
const onlyInGraphql: Readonly<Record<string, string>> = {
  updateArea: 'areas are read-only in REST',
  deleteArea: 'areas are read-only in REST',
  restoreArea: 'areas are read-only in REST',
  updateWorkspaceRecord: 'REST lists and creates workspace records',
  updateScanEvent: 'a scan event stays as it happened',
  revokeApiToken: 'REST accepts tokens, which cannot manage tokens',
  setApiTokenRateLimit: 'REST accepts tokens, which cannot manage tokens',
  ...Object.fromEntries(
    [
      'inviteUser',
      'revokeInvitation',
      'setUserRole',
      'deactivateUser',
      'reactivateUser',
      'eraseUser',
      'resetTwoFactor',
      'unlinkOpenId',
      'updateCompanySettings',
    ].map((name) => [name, 'only people who are signed in manage users and settings']),
  ),
  ...Object.fromEntries(
    [
      'updateWebhook',
      'deleteWebhook',
      'rotateWebhookSecret',
      'sendTestWebhook',
      'replayWebhookDelivery',
      'replayWebhookDeliveries',
    ].map((name) => [name, 'webhooks belong to people, not to tokens']),
  ),
  markNotificationsRead: 'people who are signed in are notified, not tokens',
  setNotificationPreference: 'people who are signed in are notified, not tokens',
  saveQuery: 'queries are for GraphQL, and people who are signed in keep them',
  deleteSavedQuery: 'queries are for GraphQL, and people who are signed in keep them',
  deleteCalendarFeed: 'addresses of calendars belong to people, not to tokens',
  saveView: 'views are of pages, which people who are signed in keep',
  deleteSavedView: 'views are of pages, which people who are signed in keep',
  scheduleQuery: 'saved queries are of pages, which people who are signed in keep',
  saveDashboard: 'dashboards are of pages, which people who are signed in keep',
  deleteDashboard: 'dashboards are of pages, which people who are signed in keep',
  writeInventoryItems: 'the batch of inventory items creates them',
  ...Object.fromEntries(
    ['writeAreas', 'deleteManyAreas', 'updateManyAreas', 'updateManyScanEvents', 'updateManyWorkspaceRecords'].map(
      (name) => [name, 'as of one row'],
    ),
  ),
  endSession: 'sessions belong to people, not to tokens',
  endOtherSessions: 'sessions belong to people, not to tokens',
};

test('REST changes and deletes what GraphQL does', () => {
  const changes = Object.keys(api.schema.getMutationType()?.getFields() ?? {}).filter(
    (name) => !/^(create|announce|record|aggregate)[A-Z]/.test(name),
  );
  expect(changes.length).toBeGreaterThan(80);
  const routed = routes().filter(
    ({ method, operation }) =>
      ['PATCH', 'PUT', 'DELETE'].includes(String(method)) || ['write', 'restore'].includes(operation.action),
  );
  const missing = changes.filter((name) => !routed.some(({ operation }) => operation.field === name));
  expect(missing.sort()).toEqual(Object.keys(onlyInGraphql).sort());
});

test('what REST changes it also reads, at the same address', () => {
  const at = (path: string) => routes().filter((route) => route.path === path);
  const paths = routes().flatMap(({ method, path }) => (method === 'PATCH' ? [path] : []));
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !at(path).some(({ method }) => method === 'GET'))).toEqual([]);
});

test('a part of the definitions builds a part of the API', () => {
  const paint = definitions.filter((definition) => definition.kind === 'resource' && definition.type === 'Paint');
  const alone = buildApi(paint);
  expect(alone.operations.map(({ field }) => field)).toEqual([
    'paints',
    'paint',
    'createPaint',
    'updatePaint',
    'deletePaint',
    'writePaints',
    'updateManyPaints',
    'deleteManyPaints',
  ]);
  expect(Object.keys(alone.schema.getMutationType()?.getFields() ?? {})).toHaveLength(6);
});

/** The source files, in `src/` or a folder of it, whose text matches. */
async function filesNaming(pattern: RegExp, folder = '.'): Promise<string[]> {
  const root = join(import.meta.dirname, '../../src');
  const files = (await readdir(join(root, folder), { recursive: true })).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(60);
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(join(root, folder, file), 'utf8')]));
  return texts.flatMap(([file = '', text = '']) => (pattern.test(text) ? [join(folder, file)] : []));
}

test('only what crosses companies, is about the company or is SQL mentions it: the kit adds it elsewhere', async () => {
  const naming = await filesNaming(/company_?id/i, 'schema');
  // Members, tokens, webhooks, calendar addresses and security events are those of a company and its sandbox.
  const crossing = [
    'account/me.ts',
    'account/member-sign-in.ts',
    'account/members.ts',
    'account/security-events.ts',
    'account/session-access.ts',
    'account/tokens.ts',
    'lease/calendar-feeds.ts',
    'webhooks/deliveries.ts',
    'webhooks/types.ts',
    'webhooks/webhooks.ts',
  ];
  const aboutTheCompany = ['account/company-settings.ts', 'company-rules.ts', 'mailroom/label-rows.ts'];
  const inSql = [
    'ai-usage/report.ts',
    'ai-usage/roll-up.ts',
    'dashboard/rpc.ts',
    'desk/overlaps.ts',
    'files/file-text.ts',
    'files/text-job.ts',
    'account/query-schedules.ts',
    'lease/accounting.ts',
    'notifications/read.ts',
  ];
  const inTheStore = ['files', 'preview-job', 'scans', 'stored-files', 'upload-lock', 'uploads'].map(
    (name) => `files/${name}.ts`,
  );
  const ofGuests = ['mailroom/guest-photos.ts'];
  expect(naming.sort()).toEqual(
    [...crossing, ...aboutTheCompany, ...inSql, ...inTheStore, ...ofGuests].map((file) => `schema/${file}`).sort(),
  );
});

test('one room of the kit knows Pothos: others read the extensions that it writes', async () => {
  const naming = await filesNaming(/pothos/i);
  const elsewhere = naming.filter((file) => !/^(resource\/schema|database\/generated)\//.test(file));
  expect(naming).toContain('resource/schema/extensions-plugin.ts');
  expect(elsewhere).toEqual([]);
});

// The default is the simplest rule, so that whoever defines such a type has to say its words.
test('have words with the right article, and their own names for several rows', () => {
  const words = [...api.resources, ...api.operations].map(({ words }) => words);
  expect(words.filter(({ one }) => /^a ([aeio]|hour|hr\b)/i.test(one) || /^an [^aeiouh]/i.test(one))).toEqual([]);
  expect(words.filter(({ many }) => /[^aeiou]ys$|ss$/.test(many))).toEqual([]);
  const listed = api.resources.map(({ words: { manyInNames } }) => manyInNames);
  expect(new Set(listed).size).toBe(listed.length);
});
