import { execFile, execFileSync } from 'node:child_process';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PostgresServer, unprivileged } from './postgresql.ts';

const run = promisify(execFile);

/** Whether this machine has pgBackRest. */
export const hasPgBackRest = (() => {
  try {
    execFileSync('pgbackrest', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** A repository of base backups and WAL of one server, in a folder of its own. */
export class BackupRepository {
  private constructor(
    private readonly folder: string,
    private readonly config: string,
  ) {}

  /** Creates one, to which the server archives its WAL from then on. It restarts the server. */
  static async of(server: PostgresServer): Promise<BackupRepository> {
    const folder = await mkdtemp(join(tmpdir(), 'pgbackrest-'));
    const names = ['repository', 'log', 'lock', 'spool'];
    for (const name of names) await mkdir(join(folder, name));
    const { uid, gid } = unprivileged;
    for (const path of [folder, ...names.map((name) => join(folder, name))])
      if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
    const config = join(folder, 'pgbackrest.conf');
    const repository = new BackupRepository(folder, config);
    await repository.follow(server);
    await server.sql('ALTER SYSTEM SET archive_mode = on');
    await server.sql(
      `ALTER SYSTEM SET archive_command = 'pgbackrest --config=${config} --stanza=premises archive-push %p'`,
    );
    await server.kill();
    await server.restart();
    await repository.run('stanza-create');
    return repository;
  }

  /** Lets it be the repository of a server, with the stanza that it has. */
  async follow({ folder, port }: PostgresServer): Promise<void> {
    const global = [
      `repo1-path=${this.folder}/repository`,
      'repo1-retention-full=2',
      `log-path=${this.folder}/log`,
      `lock-path=${this.folder}/lock`,
      `spool-path=${this.folder}/spool`,
      'start-fast=y',
    ];
    const premises = [`pg1-path=${folder}/data`, `pg1-port=${port}`, `pg1-socket-path=${folder}`, 'pg1-user=premises'];
    await writeFile(this.config, ['[global]', ...global, '[premises]', ...premises, ''].join('\n'));
  }

  /** Runs a command of pgBackRest. */
  run(command: string, ...options: readonly string[]): Promise<unknown> {
    return run('pgbackrest', [`--config=${this.config}`, '--stanza=premises', ...options, command], {
      cwd: '/',
      ...unprivileged,
    });
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}
