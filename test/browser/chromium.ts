import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const places = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];

/** A Chromium of this machine: the one that PREMISES_CHROMIUM names, or the first in the usual places. */
export const executable = [
  process.env.PREMISES_CHROMIUM ?? '',
  ...places.flatMap((place) => names.map((name) => join(place, name))),
].find(existsSync);

/**
 * Starts it: one that asks nobody but us for anything.
 * @param hosts names, with or without a port, and the addresses that they stand for; otherwise those that everybody knows
 */
export function launch(hosts: Readonly<Record<string, string>> = {}): Promise<Browser> {
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
    args: ['--no-sandbox', ...quiet, ...(rules ? [`--host-resolver-rules=${rules}`] : [])],
  });
}
