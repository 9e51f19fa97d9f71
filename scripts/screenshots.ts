// Takes the README's pictures of the pages, of the demo company: npx tsx scripts/screenshots.ts
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createApp } from '../src/app.ts';
import { createLimiter } from '../src/callers/limits.ts';
import { setPassword } from '../src/callers/sessions/passwords.ts';
import { readConfig } from '../src/config.ts';
import { createDemo } from '../src/database/demo.ts';
import { openDatabase } from '../src/database/index.ts';
import { migrate } from '../src/database/migrate.ts';
import { launch } from '../test/browser/chromium.ts';

const images = join(import.meta.dirname, '../docs/images');
const password = 'correct horse battery';
const wide = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 360, height: 740 } };

const folder = await mkdtemp(join(tmpdir(), 'premises-pictures-'));
const config = readConfig({ DATA_DIR: folder });
const database = await openDatabase(config);
await migrate(database);
await createDemo(database.prisma);
const limiter = createLimiter(database, undefined);
const app = await createApp({ config, database, limiter });
await app.listen({ host: '127.0.0.1', port: 0 });
const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
const browser = await launch();

const { id, email } = await database.prisma.user.findFirstOrThrow({ where: { role: 'ADMIN', company: { slug: 'demo' } } });
await setPassword(database.prisma, id, password);

/** Opens a page, signed in or not, does something on it, and takes a picture of what is in view. */
async function take(name: string, path: string, options: BrowserContextOptions & { guest?: boolean }, act: (page: Page) => Promise<unknown>): Promise<void> {
  const { guest, ...rest } = options;
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce', ...rest });
  const page = await context.newPage();
  if (!guest) {
    await page.goto(`${origin}/sign-in?return_to=/account`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${origin}/account`);
  }
  await page.goto(origin + path);
  await act(page);
  await page.screenshot({ path: join(images, `${name}.png`) });
  await context.close();
}

try {
  await take('dashboard', '/dashboard', { viewport: { width: 1280, height: 860 } }, (page) => page.getByText('As a table').waitFor());
  await take('graphiql', '/graphql', wide, async (page) => {
    await page.getByText('No token is needed.').waitFor();
    await page.getByRole('button', { name: /Execute query/ }).click();
    await page.locator('.result-window').getByText('totalCount').first().waitFor();
  });
  await take('tokens', '/account', { ...phone, colorScheme: 'dark' }, async (page) => {
    await page.getByRole('button', { name: 'Make a token' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('The door display');
    for (const box of ['Service requests: read', 'Move requests: read', 'Move requests: write']) await page.getByLabel(box).check();
    await page.getByRole('textbox', { name: 'Name' }).evaluate((field) => scrollTo({ top: field.getBoundingClientRect().top + scrollY - 120 }));
  });
  await take('guest', '/packages?company=demo', { ...phone, guest: true }, async (page) => {
    await page.getByLabel('Your name').fill('Gus Kline');
    await page.getByLabel('Your e-mail address').fill('gus@example.com');
    await page.getByLabel('What is it?').fill('A cello');
    await page.getByRole('button', { name: 'Announce it' }).click();
    await page.getByRole('link', { name: 'Follow it' }).click();
    await page.getByText('It is expected.').waitFor();
  });
} finally {
  await browser.close();
  await app.close();
  await limiter.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
}
