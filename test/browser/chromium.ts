import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The first has no windows, and takes less of the processor. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const places = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];

const executables = [
  process.env.PREMISES_CHROMIUM ?? '',
  ...places.flatMap((place) => names.map((name) => join(place, name))),
].filter(existsSync);

/** The path of Chromium: PREMISES_CHROMIUM, or the first in the usual places. */
export const executable = executables[0];

/** The path of one that shows PDFs, which those without windows download. */
export const pdfViewer = executables.find((path) => !path.includes('headless-shell'));

/**
 * Starts Chromium without access to other hosts.
 *
 * @param hosts maps names, with or without a port, to addresses
 * @param args further arguments of its command line
 * @param executablePath its path
 */
export function launch(
  hosts: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  executablePath = executable,
): Promise<Browser> {
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
    executablePath,
    args: ['--no-sandbox', ...quiet, ...args, ...(rules ? [`--host-resolver-rules=${rules}`] : [])],
  });
}
