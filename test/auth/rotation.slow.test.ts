import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Browser } from '../support/browser.ts';
import { testDatabaseUrl } from '../support/database.ts';
import { killAll, ServiceProcess } from '../support/process.ts';
import { previousTotp, totp } from '../support/totp.ts';

let env: Record<string, string>;
let remove: () => Promise<unknown>;
beforeAll(async () => {
  if (process.env.TEST_DATABASE_URL) {
    const { url, drop } = await testDatabaseUrl();
    [env, remove] = [{ DATABASE_URL: url }, drop];
  } else {
    const folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
    [env, remove] = [{ DATA_DIR: folder }, () => rm(folder, { recursive: true })];
  }
});
afterAll(async () => {
  await killAll();
  await remove();
});

/** A browser on a page of a service that runs at its own address. */
class Visitor extends Browser {
  override request: Browser['request'] = (method, path, sent = {}) =>
    super.request(method, path, { ...sent, headers: { origin: this.origin, ...sent.headers } });
}

test('a service that is restarted with another AUTH_SECRET keeps its people signed in, and their apps', async () => {
  const [first, second] = ['the first secret of the service, long enough', 'the second secret of it, long enough too'];
  const restart = async (secrets: Record<string, string>, greeting = false) =>
    (await ServiceProcess.start({ ...env, ...secrets })).ready({ greeting });
  const started = await restart({ AUTH_SECRET: first }, true);
  const [, email = ''] = /Email +(\S+)/.exec(started.stdout) ?? [];
  const [, password = ''] = /Password +(\S+)/.exec(started.stdout) ?? [];
  const browser = new Visitor(started.origin);
  expect((await browser.signIn(email, password)).status).toBe(200);
  const { json } = await browser.post('/auth/two-factor', { password });
  const { key } = json['data'] as { key: string };
  expect((await browser.post('/auth/two-factor/confirm', { code: await previousTotp(key) })).status).toBe(204);
  const unused = new Map(browser.cookies);
  await started.stop();

  const both = await restart({ AUTH_SECRET: second, AUTH_SECRET_PREVIOUS: first });
  const during = new Visitor(both.origin, browser.cookies);
  expect((await during.get('/auth/session')).json['data']).toMatchObject({ person: { email } });
  await both.stop();

  const last = await restart({ AUTH_SECRET: second });
  expect((await new Visitor(last.origin, during.cookies).get('/auth/session')).json['data']).toMatchObject({
    person: { email },
  });
  const late = new Visitor(last.origin, unused);
  expect((await late.get('/auth/session')).json['data']).toBeNull();
  expect((await late.signIn(email, password)).status).toBe(401);
  expect((await late.post('/auth/sign-in/code', { code: totp(key, 1) })).status).toBe(200);
  await last.stop();
});
