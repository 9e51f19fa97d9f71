import { chromium } from 'playwright-core';
const [who, ...paths] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync'] });
for (const [name, width, height, scheme] of [['wide',1280,800,'light'],['phone',360,740,'dark']] as const) {
  const ctx = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await ctx.newPage();
  page.on('console', (m) => console.log(name, m.type(), m.text().slice(0, 300)));
  page.on('pageerror', (e) => console.log(name, 'ERR', e.message));
  page.on('requestfailed', (r) => console.log(name, 'FAILED', r.url().slice(0,200), r.failure()?.errorText));
  if (who !== '-') {
    await page.goto('http://localhost:4301/sign-in');
    await page.getByLabel('E-mail address').fill(who);
    await page.getByLabel('Password', {exact: true}).fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/dashboard', {timeout: 8000});
  }
  for (const path of paths) {
    await page.goto('http://localhost:4301' + path);
    await page.waitForTimeout(path === '/graphql' ? 5000 : 1500);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    console.log(name, path, 'overflow', overflow, await page.title());
    await page.screenshot({ path: `/tmp/shot-${name}${path.replace(/[/?=]/g, '_')}.png`, fullPage: path !== '/graphql' });
  }
  await ctx.close();
}
await browser.close();
