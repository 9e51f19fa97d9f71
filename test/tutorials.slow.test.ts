// Follows the tutorials as a reader does: every block of every page, in order, in one shell and an empty directory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testDatabaseUrl } from './support/database.ts';
import { at, type Fence, fences, isText, isValue } from './support/markdown.ts';
import { killAll, ServiceProcess } from './support/process.ts';

/** How long a tutorial may take, including the installation of its packages. */
const timeoutMs = 15 * 60_000;

const pages = join(import.meta.dirname, '..', 'docs', 'tutorials');
const folder = await mkdtemp(join(tmpdir(), 'premises-tutorials-'));

let service: ServiceProcess;
/** The reader's tokens, by the variable names that the pages use. */
let tokens: Record<string, string>;
let drop: () => Promise<unknown>;

beforeAll(async () => {
  const database = process.env.TEST_DATABASE_URL ? await testDatabaseUrl() : undefined;
  drop = async () => database?.drop();
  service = await ServiceProcess.start(database ? { DATABASE_URL: database.url } : { DATA_DIR: join(folder, 'data') });
  await service.ready({ greeting: true });
  tokens = { TOKEN: service.token, READER: await createToken(['service_requests:read']) };
});
afterAll(async () => {
  await killAll();
  await drop();
  await rm(folder, { recursive: true, force: true });
});

/** Creates a token as the account page does, for the user that the first start printed. */
async function createToken(scopes: string[]): Promise<string> {
  const [, email, password] = /Email +(\S+)\n +Password +(\S+)$/m.exec(service.stdout) ?? [];
  const call = (path: string, body: unknown, cookie = '') => {
    const headers = { 'content-type': 'application/json', origin: service.origin, cookie };
    return fetch(service.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const signedIn = await call('/auth/sign-in', { email, password });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const query = 'mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { token } }';
  const made = await call('/graphql', { query, variables: { input: { name: 'Tutorial', scopes } } }, cookie);
  const { data } = (await made.json()) as { data: { createApiToken: { token: string } } };
  return data.createApiToken.token;
}

/** What a block is: a command to run, a file to write, or the expected output of the last command. */
function kindOf({ language, file, content }: Fence): 'command' | 'file' | 'output' {
  if (file) return 'file';
  if (language === 'sh') return 'command';
  if (['json', 'http', 'text'].includes(language)) return 'output';
  throw new Error(`This block is neither a command, nor output, nor a file named by the line before it:\n${content}`);
}

/** The result of a command. Without a code it did not finish. */
interface CommandResult {
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a proxy does to a request in place of passing it on. */
const interruptions = ['429 and no connections for a while', '503', '429'] as const;

/** How long (ms) the proxy refuses connections: longer than the second after which clients try again. */
const outageMs = 2500;

/** A proxy in front of the service, and what it has done. */
interface Proxy {
  readonly origin: string;
  readonly interrupted: readonly string[];
  close(): void;
}

/**
 * Starts a proxy that interrupts every second request of the tutorials' token: with 429 or 503 and a second to wait, as
 * the service does, and by refusing connections, as while it restarts. Tools that generate code have no retries.
 */
async function startInterruptingProxy(): Promise<Proxy> {
  let asked = 0;
  const interrupted: string[] = [];
  let outage: NodeJS.Timeout | undefined;
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const body = Buffer.concat(parts);
      const isOfToken = incoming.headers.authorization === `Bearer ${service.token}`;
      if (isOfToken && !body.includes('IntrospectionQuery') && ++asked % 2 === 0) interrupt(outgoing);
      else pass(incoming, body, outgoing);
    });
  });
  const interrupt = (outgoing: ServerResponse) => {
    const kind = interruptions[interrupted.length % interruptions.length] ?? '429';
    interrupted.push(kind);
    const status = Number(kind.slice(0, 3));
    const error = { code: status === 429 ? 'RATE_LIMITED' : 'SERVICE_UNAVAILABLE', message: 'Try again.', status };
    outgoing.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' });
    outgoing.end(JSON.stringify({ error, meta: { request_id: 'x' } }));
    if (kind === '429' || kind === '503') return;
    server.close();
    outage = setTimeout(() => server.listen(port, 'localhost'), outageMs);
  };
  const close = () => {
    clearTimeout(outage);
    server.close();
  };
  await once(server.listen(0, 'localhost'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { origin: `http://localhost:${port}`, interrupted, close };
}

/** Passes a request on to the service. */
function pass({ method, headers, url }: IncomingMessage, body: Buffer, outgoing: ServerResponse): void {
  const passed = request(service.origin + url, { method, headers });
  passed.on('response', (answer) => answer.pipe(outgoing.writeHead(answer.statusCode ?? 0, answer.headers)));
  passed.end(body);
}

/**
 * Runs the blocks of a page up to its end, or to the first command that fails unexpectedly.
 *
 * @returns the result of the command in a block, by the block's index
 */
async function runBlocks(
  name: string,
  blocks: readonly Fence[],
  origin: string,
): Promise<(index: number) => Promise<CommandResult>> {
  const notes = join(folder, `${name}-notes`);
  const empty = join(folder, name);
  await Promise.all([mkdir(notes), mkdir(empty)]);
  const lines = ['set -e -o pipefail'];
  for (const [index, block] of blocks.entries()) {
    if (kindOf(block) === 'output') continue;
    const note = join(notes, String(index));
    const content = at(origin, block.content).replace(
      /(\w+)=svc_live_…$/gm,
      (_, name: string) => `${name}=${tokens[name] ?? ''}`,
    );
    await writeFile(note, content);
    if (block.file) lines.push(`cp ${note} ${block.file}`);
    // Sourced, so that variables, functions and the current directory carry over, as in a reader's shell.
    else if (block.note === 'fails')
      lines.push(`code=0; . ${note} >${note}.out 2>${note}.err </dev/null || code=$?; echo $code >${note}.code`);
    else lines.push(`. ${note} >${note}.out 2>${note}.err </dev/null; echo 0 >${note}.code`);
  }
  await writeFile(join(notes, 'all.sh'), lines.join('\n'));

  // In its own process group, so that everything it started ends with it.
  const bash = spawn('bash', [join(notes, 'all.sh')], {
    cwd: empty,
    env: readersEnvironment(),
    stdio: 'inherit',
    detached: true,
  });
  const end = () => bash.pid !== undefined && process.kill(-bash.pid, 'SIGKILL');
  const timer = setTimeout(end, timeoutMs);
  await once(bash, 'exit');
  clearTimeout(timer);

  const readNote = (path: string) => readFile(path, 'utf8').catch(() => '');
  return async (index) => {
    const note = join(notes, String(index));
    const [code, stdout, stderr] = await Promise.all([
      readNote(`${note}.code`),
      readNote(`${note}.out`),
      readNote(`${note}.err`),
    ]);
    return { code: code === '' ? undefined : Number(code), stdout, stderr };
  };
}

/** The environment without what npm and Jest add: a reader has neither our binaries nor our settings. */
function readersEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(npm_(package|lifecycle|config_local_prefix|config_prefix)|INIT_CWD$|NODE_|JEST_|TEST_)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
  const PATH = env['PATH']
    ?.split(delimiter)
    .filter((place) => !place.includes('node_modules'))
    .join(delimiter);
  // What was once fetched is not asked for again, and a registry that cannot be reached ends it soon.
  return {
    ...env,
    PATH,
    npm_config_prefer_offline: 'true',
    npm_config_fetch_retries: '1',
    npm_config_fetch_timeout: '30000',
  };
}

test.each((await readdir(pages)).sort())('%s', async (page) => {
  const blocks = fences(await readFile(join(pages, page), 'utf8'));
  // Every program of the tutorials goes on after an interruption.
  const { origin, interrupted, close } = await startInterruptingProxy();
  const ran = await runBlocks(page.replace('.md', ''), blocks, origin).finally(close);
  let last: CommandResult = { stdout: '', stderr: '' };
  for (const [index, block] of blocks.entries()) {
    const { content, language, note } = block;
    if (kindOf(block) === 'command') {
      last = await ran(index);
      // Compared as a whole, so that a failure shows the output.
      expect({ content, ...last, code: last.code && 'fails' }).toEqual({
        content,
        ...last,
        code: note === 'fails' ? 'fails' : 0,
      });
    } else if (kindOf(block) === 'output') {
      const { stdout, stderr } = last;
      // On a mismatch, toEqual shows the difference.
      if (language === 'json') {
        if (!isValue(JSON.parse(stdout), JSON.parse(content))) expect(JSON.parse(stdout)).toEqual(JSON.parse(content));
      } else if (![stdout, stderr].some((printed) => isText(printed, content, note === 'example')))
        expect(stdout + stderr).toBe(content);
    }
  }
  expect(new Set(interrupted)).toEqual(new Set(interruptions));
});
