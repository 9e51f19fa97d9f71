import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import { type Database, openDatabase } from '../../src/database/index.ts';
import { testDatabaseUrl } from './database.ts';

const root = join(import.meta.dirname, '..', '..');
/** The command line, as it is built. */
export const program = [process.execPath, join(root, 'dist', 'cli.js')] as const;

/** What a command has printed: on stdout, of that the last line, and on stderr. */
export interface Printed {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly last: string;
}

/** The command line, each command in its own process, on an empty database. */
export class CommandLine {
  private constructor(
    /** Their settings. */
    readonly env: Record<string, string>,
    readonly remove: () => Promise<unknown>,
  ) {}

  static async create(): Promise<CommandLine> {
    if (process.env.TEST_DATABASE_URL) {
      const { url, drop } = await testDatabaseUrl();
      return new CommandLine({ DATABASE_URL: url }, drop);
    }
    const folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
    return new CommandLine({ DATA_DIR: folder }, () => rm(folder, { recursive: true }));
  }

  /** The same commands with other settings. */
  with(env: Record<string, string>): CommandLine {
    return new CommandLine(env, this.remove);
  }

  /** Runs a command. */
  run = (...args: string[]) => this.spawn('', ...program, ...args);

  /** Runs a command with input on stdin. */
  runWithInput = (input: string, ...args: string[]) => this.spawn(input, ...program, ...args);

  /** Runs a command on a pseudo-terminal, of which `script` prints what it shows. */
  runOnTerminal = (...args: string[]) => {
    const words = [...program, ...args].map((word) => `'${word}'`);
    return this.spawn('', 'script', '--quiet', '--return', '--command', words.join(' '), '/dev/null');
  };

  private async spawn(input: string, command: string, ...args: string[]): Promise<Printed> {
    const child = spawn(command, args, {
      cwd: root,
      env: { PATH: process.env.PATH, ...this.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.on('error', () => {}).end(input); // it may end before it reads anything
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { code: child.exitCode, out, err, last: out.trimEnd().split('\n').at(-1) ?? '' };
  }

  /** Opens the commands' database, which must not be open elsewhere meanwhile. */
  async look<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir = '' } = this.env;
    const database = await openDatabase({ databaseUrl, dataDir });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }
}

/** Reads the secret that a command has left in a file, whose path is on its last line, and removes the file. */
export async function takeSecret({ out, err, code, last }: Printed): Promise<string> {
  expect({ err, code }).toEqual({ err: '', code: 0 });
  const [file, folder] = [await stat(last), await stat(dirname(last))];
  expect([file.mode & 0o777, folder.mode & 0o777]).toEqual([0o600, 0o700]);
  const secret = (await readFile(last, 'utf8')).trimEnd();
  expect(out).not.toContain(secret);
  await rm(dirname(last), { recursive: true });
  return secret;
}
