/** The servers that are compared, behind one interface. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from 'autocannon';
import { type Caller, unloggedSchema } from './data.ts';

/** How to start a server and how to request the nested data from it; everything else is the same for all. */
export interface Server {
  name: string;
  /** Its entry point. */
  script: string;
  /** The Node that runs it; by default that of the benchmark. */
  node?: string;
  /** The folder of its packages, which are installed where they are missing; by default those of the project. */
  packages?: string;
  /** The only workloads that it serves. */
  only?: readonly string[];
  /** The schema of the tables that it writes, if they are others than those of the service. */
  schema?: string;
  nested(caller: Caller): Request;
}

/** A running server. */
export interface RunningServer extends Server {
  /** Its address, without a path. */
  url: string;
  process: ChildProcess;
}

const query = `query {
  serviceRequests(first: 20) {
    nodes {
      id title status
      assignee { id fullName }
      comments(first: 5) { nodes { comment author { fullName } } }
      watchers(first: 5) { nodes { id fullName } }
    }
  }
}`;

/** The same in PostGraphile's idiom. */
const postgraphileQuery = `query ($companyId: UUID!) {
  serviceRequests: allServiceRequests(first: 20, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], condition: { companyId: $companyId }) {
    nodes {
      id: rowId title status
      assignee { id: rowId fullName }
      comments(first: 5, orderBy: [CREATED_AT_DESC, ROW_ID_DESC]) { nodes { comment author { fullName } } }
      watchers(first: 5, orderBy: [CREATED_AT_DESC, ROW_ID_DESC]) { nodes { id: rowId fullName } }
    }
  }
}`;

const postgraphile = join(import.meta.dirname, 'postgraphile');

export const servers: Server[] = [
  {
    name: 'premises',
    script: 'dist/server.js',
    nested: () => ({ method: 'POST', path: '/graphql', body: JSON.stringify({ query }) }),
  },
  { name: 'fastify-prisma', script: 'bench/fastify-prisma.ts', nested: () => ({ method: 'GET', path: '/nested' }) },
  {
    name: 'fastify-pg',
    script: 'bench/fastify-pg.ts',
    schema: unloggedSchema,
    nested: () => ({ method: 'GET', path: '/nested' }),
  },
  {
    name: 'postgraphile',
    script: join(postgraphile, 'server.mjs'),
    node: join(postgraphile, 'node_modules', 'node', 'bin', 'node'),
    packages: postgraphile,
    only: ['nested'],
    nested: ({ companyId }) => ({
      method: 'POST',
      path: '/graphql',
      body: JSON.stringify({ query: postgraphileQuery, variables: { companyId } }),
    }),
  },
];

/**
 * Starts a server as one process and waits until it responds.
 *
 * @param server which
 * @param databaseUrl its database
 * @param token to ask whether it is ready
 * @param nodeOptions more options for node
 * @throws when it ends or does not respond within a minute
 */
export async function start(
  server: Server,
  databaseUrl: string,
  token: string,
  nodeOptions: string[] = [],
): Promise<RunningServer> {
  const { node = process.execPath, packages, script } = server;
  if (packages !== undefined && !existsSync(join(packages, 'node_modules'))) {
    console.log(`installing ${server.name} ...`);
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], {
      cwd: packages,
      stdio: 'ignore',
    });
  }
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${token}` };
  // The `tsx` command would start a second process, and the CPU time of the first would be measured.
  const loader = script.startsWith('dist/') ? [] : ['--import', 'tsx'];
  const child = spawn(node, [...nodeOptions, ...loader, script], {
    cwd: `${import.meta.dirname}/..`,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      REDIS_URL: '',
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: url,
      LOG_LEVEL: 'warn',
      ...(server.schema !== undefined && { PGOPTIONS: `-c search_path=${server.schema},public` }),
    },
  });
  process.once('exit', () => child.kill());
  let last = 'nothing';
  for (let tries = 0; tries < 300; tries++) {
    if (hasEnded(child)) throw new Error(`${server.name} ended (${child.exitCode ?? child.signalCode})`);
    const response = await fetch(`${url}/api/v1/service-requests?limit=1`, { headers }).catch(() => undefined);
    if (response?.ok) return { ...server, url, process: child };
    if (response) last = await response.text();
    await sleep(200);
  }
  child.kill();
  throw new Error(`${server.name} does not serve; its last answer: ${last}`);
}

/** Ends a server and waits until it is gone. */
export async function stop({ process: child }: RunningServer): Promise<void> {
  if (hasEnded(child)) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  await gone;
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (!address || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
