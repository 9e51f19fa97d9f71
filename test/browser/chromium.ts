import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The first has no windows, and takes less of the processor. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const places = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];

/** The path of Chromium: PREMISES_CHROMIUM, or the first in the usual places. */
export const executable = [
  process.env.PREMISES_CHROMIUM ?? '',
  ...places.flatMap((place) => names.map((name) => join(place, name))),
].find(existsSync);

/**
 * Starts Chromium without access to other hosts.
 *
 * @param hosts maps names, with or without a port, to addresses
 * @param args further arguments of its command line
 */
export function launch(hosts: Readonly<Record<string, string>> = {}, args: readonly string[] = []): Promise<Browser> {
  const quiet = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  const rules = Object.entries(hosts)
    .map(([name, address]) => `MAP ${name} ${address}`)
    .join(', ');
  return chromium.launch({
    executablePath: executable,
    args: ['--no-sandbox', ...quiet, ...args, ...(rules ? [`--host-resolver-rules=${rules}`] : [])],
  });
}
