/**
 * Measures the pages in Chromium as people with a slow network have them, and how a list of 200,000 rows scrolls.
 *
 *   npm run bench:pages -- [--rounds 5] [--only sign-in|list|scroll|filter] [--requests]
 *
 * With --requests it lists each request of the last round as well: bytes, when it began and ended, and its address.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { launch } from '../test/browser/chromium.ts';
import { ServiceProcess } from '../test/support/process.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true },
    requests: { type: 'boolean' },
  },
});
const rounds = Number(options.rounds);

/** 400 kbit/s and 400 ms, as developer tools throttle. */
const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** For how long (ms) bytes count once a page is there: what tells of changes comes later. */
const laterMs = 5000;

const viewport = { width: 1280, height: 800 };

/** What the browser tells of a page while it loads. */
interface Watched {
  /** When (ms after the start of the navigation) what the page is for was there. */
  shown?: number;
  /** The sum of all layout shifts that nobody has caused by a tap or a key. */
  shift: number;
}

/** How a page loaded: ms, requests, and layout shift. */
interface Load {
  readonly ms: number;
  readonly requests: readonly Requested[];
  readonly shift: number;
}

/** The value below which a share of the values are. */
const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Records when a selector first matches, and how the layout shifts. */
function watch(selector: string) {
  const watched: Watched = { shift: 0 };
  Object.assign(globalThis, { watched });
  const look = () => {
    if (watched.shown === undefined && document.querySelector(selector)) watched.shown = performance.now();
    if (watched.shown === undefined) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      if (!entry.hadRecentInput) watched.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
}

/** What runs this file names the functions within those that run in the page. */
const prepare = (page: Page) => page.addInitScript('globalThis.__name = (named) => named;');

/** A request of a page: its address, when it began and ended (s), and the bytes of its response with the headers. */
interface Requested {
  readonly url: string;
  readonly began: number;
  ended?: number;
  bytes?: number;
}

/** Records all requests that a page makes from now on. */
async function recordRequests(cdp: CDPSession): Promise<() => Requested[]> {
  const requests = new Map<string, Requested>();
  await cdp.send('Network.enable');
  cdp.on('Network.requestWillBeSent', ({ requestId, request, timestamp }) =>
    requests.set(requestId, { url: request.url, began: timestamp }),
  );
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength, timestamp }) =>
    Object.assign(requests.get(requestId) ?? {}, { ended: timestamp, bytes: encodedDataLength }),
  );
  return () => [...requests.values()].filter(({ bytes }) => bytes !== undefined);
}

/**
 * Opens a page with an empty cache on a slow network.
 *
 * @param selector of what the page is for
 * @param use what somebody does with it then, whose requests count as well
 */
async function load(context: BrowserContext, { address, selector, use }: Measured): Promise<Load> {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  const requests = await recordRequests(cdp);
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  await cdp.send('Network.emulateNetworkConditions', slow);
  await prepare(page);
  await page.addInitScript(watch, selector);
  await page.goto(address, { waitUntil: 'commit', timeout: 60_000 });
  await page.locator(selector).first().waitFor({ timeout: 60_000 });
  await page.waitForLoadState('networkidle', { timeout: 60_000 });
  await use?.(page);
  await sleep(laterMs);
  const { shown, shift } = await page.evaluate(() => (globalThis as unknown as { watched: Watched }).watched);
  await page.close();
  return { ms: shown ?? Number.NaN, requests: requests(), shift };
}

/** A page to measure: its address, the selector of what it is for, and what somebody does with it then. */
interface Measured {
  readonly address: string;
  readonly selector: string;
  readonly use?: (page: Page) => Promise<void>;
}

async function measureLoads(name: string, create: () => Promise<BrowserContext>, measured: Measured) {
  const loads: Load[] = [];
  for (let round = 0; round < rounds; round++) {
    const context = await create();
    loads.push(await load(context, measured));
    await context.close();
  }
  const ms = loads.map((each) => each.ms);
  const bytes = loads.map(({ requests }) => requests.reduce((sum, each) => sum + (each.bytes ?? 0), 0));
  const shift = Math.max(...loads.map((each) => each.shift));
  const inSeconds = (each: number) => (each / 1000).toFixed(2);
  console.log(
    `${name}: shown after ${inSeconds(median(ms))} s (${ms.map(inSeconds).join(', ')}), ${(median(bytes) / 1000).toFixed(1)} kB, layout shift ${shift.toFixed(4)}`,
  );
  if (options.requests) list(loads.at(-1)?.requests ?? []);
}

/** Prints requests: bytes, when each began and ended (s after the first), and its path. */
function list(requests: readonly Requested[]): void {
  const start = Math.min(...requests.map(({ began }) => began));
  for (const { url, began, ended = Number.NaN, bytes = 0 } of requests) {
    const times = [began, ended].map((time) => (time - start).toFixed(2).padStart(6));
    console.log(`${String(bytes).padStart(8)} ${times.join(' ')}  ${new URL(url).pathname}`);
  }
}

const total = 200_000;

interface Rows {
  readonly data: { readonly rows: { readonly totalCount: number; readonly nodes: readonly { readonly id: string }[] } };
}

/** Answers for a list as if it had 200,000 rows: those of the service, over and over with other ids. */
async function replayRows(page: Page): Promise<void> {
  let model: Rows | undefined;
  await page.route('**/graphql', async (route) => {
    const body = (route.request().postDataJSON() ?? {}) as {
      query?: string;
      variables?: { offset?: number; first?: number };
    };
    if (!body.query?.startsWith('query List')) return route.fallback();
    if (!model) {
      const response = await route.fetch();
      model = (await response.json()) as Rows;
    }
    const { nodes } = model.data.rows;
    const { offset = 0, first = 100 } = body.variables ?? {};
    const replayed = Array.from({ length: first }, (_, n) => ({
      ...nodes[(offset + n) % nodes.length],
      id: `00000000-0000-4000-8000-${String(offset + n).padStart(12, '0')}`,
    }));
    return route.fulfill({ json: { data: { rows: { totalCount: total, nodes: replayed } } } });
  });
}

/** Scrolls through the list by the wheel, and measures the tasks of the page's main thread. */
async function measureScrolling(context: BrowserContext, browser: Browser, address: string): Promise<void> {
  const page = await context.newPage();
  await replayRows(page);
  await page.goto(address);
  const rows = page.locator('.rows tbody tr[aria-rowindex] a').first();
  await rows.waitFor();
  await page.waitForLoadState('networkidle');
  await page.locator('.rows').hover();
  await browser.startTracing(page, {
    categories: ['toplevel', 'disabled-by-default-devtools.timeline', 'devtools.timeline'],
  });
  const started = performance.now();
  // Some at the speed of reading, and then as far as the wheel goes.
  for (let n = 0; n < 200; n++) {
    await page.mouse.wheel(0, n < 120 ? 240 : 4_000);
    await sleep(30);
  }
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  const seconds = (performance.now() - started) / 1000;
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    trace.traceEvents.flatMap(({ name, args, pid, tid }) =>
      name === 'thread_name' && args?.name === 'CrRendererMain' ? [`${pid} ${tid}`] : [],
    ),
  );
  const tasks = trace.traceEvents.flatMap(({ name, dur, pid, tid }) =>
    /RunTask$/.test(name) && dur !== undefined && mains.has(`${pid} ${tid}`) ? [dur / 1000] : [],
  );
  const last = await page.locator('.rows tbody tr[aria-rowindex]').last().getAttribute('aria-rowindex');
  console.log(
    `scroll: ${tasks.length} tasks in ${seconds.toFixed(1)} s to row ${last}: p99 ${percentile(tasks, 0.99).toFixed(1)} ms, longest ${Math.max(...tasks).toFixed(1)} ms, ${tasks.filter((ms) => ms > 50).length} over 50 ms`,
  );
  await page.close();
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Measures how long after the rows of a narrowed list came they are painted.
 *
 * @param open does what comes before the list is narrowed
 * @param narrow narrows it
 */
async function measureFilter(
  name: string,
  context: BrowserContext,
  address: string,
  open: (page: Page) => Promise<void>,
  narrow: (page: Page) => Promise<void>,
): Promise<void> {
  const page = await context.newPage();
  await prepare(page);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await page.goto(address);
    await page.locator('.rows tbody tr[aria-rowindex] a').first().waitFor();
    await page.waitForLoadState('networkidle');
    await open(page);
    await page.evaluate(() => {
      const before = document.querySelector('[role=status]')?.textContent;
      const result = new Promise<number>((resolve) => {
        const observer = new MutationObserver(() => {
          if (document.querySelector('[role=status]')?.textContent === before) return;
          observer.disconnect();
          // After the next frame is painted.
          requestAnimationFrame(() =>
            setTimeout(() => {
              const came = performance
                .getEntriesByType('resource')
                .filter(({ name }) => name.endsWith('/graphql'))
                .at(-1);
              resolve(performance.now() - ((came as PerformanceResourceTiming | undefined)?.responseEnd ?? 0));
            }),
          );
        });
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      });
      Object.assign(globalThis, { result });
    });
    await narrow(page);
    times.push(await page.evaluate(() => (globalThis as unknown as { result: Promise<number> }).result));
  }
  console.log(
    `${name}: rows painted ${median(times).toFixed(0)} ms after they came (${times.map((ms) => ms.toFixed(0)).join(', ')})`,
  );
  await page.close();
}

/** Fills in a condition in the filter menu of a list. */
async function fillCondition(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add filter' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Field').selectOption({ label: 'Title' });
  await form.getByLabel('Comparison').selectOption({ label: 'contains' });
  await form.getByLabel('Value').fill('light');
}

const folder = mkdtempSync(join(tmpdir(), 'premises-bench-'));
const service = await ServiceProcess.start({ DATA_DIR: folder });
await service.ready({ greeting: true });
const [, email = '', password = ''] = /Email +(\S+)\s+Password +(\S+)/.exec(service.stdout) ?? [];
const browser = await launch();
try {
  const wants = (name: string) => options.only === undefined || options.only.includes(name);
  const first = await browser.newContext({ viewport });
  const page = await first.newPage();
  await page.goto(`${service.origin}/sign-in`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/c/*');
  const storageState = await first.storageState();
  await first.close();
  const signedOut = () => browser.newContext({ viewport });
  const signedIn = () => browser.newContext({ viewport, storageState });
  const listPage = `${service.origin}/c/demo/service-requests`;

  const signIn = { address: `${service.origin}/sign-in`, selector: 'input:not([disabled])' };
  const type = async (page: Page) => page.getByLabel('Email').pressSequentially('a');
  if (wants('sign-in')) {
    await measureLoads('sign-in', signedOut, signIn);
    await measureLoads('sign-in, with the first key', signedOut, { ...signIn, use: type });
  }
  const row = '.rows tbody tr[aria-rowindex] a';
  if (wants('list')) {
    await measureLoads('list', signedIn, { address: listPage, selector: row });
    await measureLoads('list, as its page shows it', signedIn, { address: listPage, selector: `#root ${row}` });
  }
  if (wants('scroll')) await measureScrolling(await signedIn(), browser, listPage);
  if (wants('filter')) {
    const search = (page: Page) => page.getByRole('searchbox').fill('light');
    await measureFilter('search', await signedIn(), listPage, async () => {}, search);
    const add = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await measureFilter('condition', await signedIn(), listPage, fillCondition, add);
  }
} finally {
  await browser.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
