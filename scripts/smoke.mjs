// Does what a new user does: clones the repository, runs the README's first command, waits for the curl line, runs it
// in a shell, and stops the service. Uses the `node` and `npm` in PATH.
//   node scripts/smoke.mjs
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
/** How long an installation and a first start may take (ms). */
const startTimeoutMs = 8 * 60_000;

const folder = mkdtempSync(join(tmpdir(), 'premises-smoke-'));
const clone = join(folder, 'premises');
/** The settings that would make this start differ from a new user's. */
const settings = [
  'HOST',
  'PORT',
  'DATABASE_URL',
  'DATA_DIR',
  'REDIS_URL',
  'PUBLIC_URL',
  'AUTH_SECRET',
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_NAME',
  'TRUST_PROXY',
  'LOG_LEVEL',
  'NODE_ENV',
  'NODE_OPTIONS',
];
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !settings.includes(name)));

let output = '';
let service;
try {
  execFileSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' });
  const command = /^npm install && npm start$/m.exec(readFileSync(join(clone, 'README.md'), 'utf8'))?.[0];
  if (!command) throw new Error('The README no longer says how to start.');
  const started = Date.now();
  console.log(`Node ${process.version}: ${command}`);

  service = spawn('sh', ['-c', command], { cwd: clone, env: { ...env, PORT: await freePort() }, detached: true });
  const ended = once(service, 'exit').then(([code]) => code);
  let over = false;
  void ended.then(() => (over = true));
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  while (!output.includes('shown only once')) {
    if (over || Date.now() - started > startTimeoutMs) throw new Error('It did not start.');
    await sleep(200);
  }
  console.log(`  the first start was ready after ${seconds(started)} s, installation included`);

  const line = /^ +(curl .*)$/m.exec(output)?.[1] ?? 'false';
  const { data, meta } = JSON.parse(shell(line));
  const status = shell(`${line} -o /dev/null -w '%{http_code}'`);
  if (status !== '200' || data.length === 0) throw new Error(`The curl line answered ${status}.`);
  console.log(`  the curl line answered 200 with ${data.length} of ${meta.total} service requests`);

  const stopping = Date.now();
  process.kill(Number(/"pid":(\d+)/.exec(output)?.[1]), 'SIGTERM');
  const code = await ended;
  if (code !== 0) throw new Error(`It ended with ${code}.`);
  console.log(`  it stopped within ${seconds(stopping)} s`);
} catch (error) {
  console.error(`${output}\n${error.stack}`);
  process.exitCode = 1;
} finally {
  if (service && service.exitCode === null) process.kill(-service.pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a line as it would run when pasted. */
function shell(line) {
  return execFileSync('sh', ['-c', line], { encoding: 'utf8' });
}

function seconds(since) {
  return ((Date.now() - since) / 1000).toFixed(1);
}

/** A free port. */
async function freePort() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return String(port);
}
