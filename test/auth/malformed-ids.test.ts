import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { signInAll } from '../support/browser.ts';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ admin } = await signInAll(service, await service.tenant()));
});
afterAll(() => service.close());

const id = randomUUID();
const times = 'from: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z"';

test.each([
  ['id', 'mutation { endSession(id: "x") { id } }'],
  ['id', 'mutation { saveQuery(id: "x", input: { name: "", query: "" }) { id } }'],
  ['id', 'mutation { deleteSavedQuery(id: "x") { id } }'],
  ['id', 'mutation { saveView(id: "x", input: { name: "", type: "", search: "" }) { id } }'],
  ['id', 'mutation { deleteCalendarFeed(id: "x") { id } }'],
  ['id', 'mutation { deleteSavedView(id: "x") { id } }'],
  ['id', 'mutation { saveDashboard(id: "x", input: { name: "", tiles: [] }) { id } }'],
  ['id', 'mutation { deleteDashboard(id: "x") { id } }'],
  ['id', 'mutation { revokeInvitation(id: "x") { id } }'],
  ['id', 'mutation { setUserRole(id: "x", role: ADMIN) { id } }'],
  ['id', 'mutation { deactivateUser(id: "x") { id } }'],
  ['id', 'mutation { reactivateUser(id: "x") { id } }'],
  ['id', 'mutation { resetTwoFactor(id: "x") { id } }'],
  ['id', 'mutation { eraseUser(id: "x", email: "a@b.example") { id } }'],
  ['id', 'mutation { revokeApiToken(id: "x") { id } }'],
  ['id', 'mutation { setApiTokenRateLimit(id: "x", rateLimit: 7) { id } }'],
  ['ids.1', `{ usersWithTwoFactor(ids: ["${id}", "x"]) { id } }`],
  ['ids.1', `mutation { markNotificationsRead(ids: ["${id}", "x"]) { count } }`],
  ['before', '{ notifications(before: "x") { unread } }'],
  ['before', '{ securityEvents(before: "x") { id } }'],
  ['userId', '{ securityEvents(userId: "x") { id } }'],
  ['id', 'mutation { updateWebhook(id: "x", input: {}) { id } }'],
  ['id', 'mutation { rotateWebhookSecret(id: "x") { secret } }'],
  ['id', 'mutation { deleteWebhook(id: "x") { id } }'],
  ['webhookId', '{ webhookDeliveries(webhookId: "x") { id } }'],
  ['before', `{ webhookDeliveries(webhookId: "${id}", before: "x") { id } }`],
  ['webhookId', 'mutation { sendTestWebhook(webhookId: "x") { id } }'],
  ['webhookId', `mutation { replayWebhookDelivery(webhookId: "x", id: "${id}") { id } }`],
  ['id', `mutation { replayWebhookDelivery(webhookId: "${id}", id: "x") { id } }`],
  ['webhookId', `mutation { replayWebhookDeliveries(webhookId: "x", ${times}) { count } }`],
])('the error of a malformed id names the argument %s of %s', async (argument, query) => {
  const { errors } = await admin.graphql(query);
  expect(errors).toMatchObject([{ message: `${argument}: must be a uuid`, extensions: { code: 'BAD_REQUEST' } }]);
});

test('an id in capital letters is the same id', async () => {
  const { data } = await admin.graphql<{ me: { id: string } }>('{ me { id } }');
  const change = `mutation { setUserRole(id: "${data.me.id.toUpperCase()}", role: ADMIN) { id } }`;
  expect(await admin.graphql(change)).toMatchObject({ errors: [], data: { setUserRole: { id: data.me.id } } });
});
