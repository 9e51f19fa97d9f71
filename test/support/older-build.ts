import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();

/** The last commit before the newest migration; undefined where the repository does not have it. */
export const olderCommit = ((): string | undefined => {
  const migrations = readdirSync(join(root, 'prisma/migrations')).filter((name) => /^\d/.test(name));
  try {
    const added = git(
      'log',
      '-1',
      '--format=%H',
      '--diff-filter=A',
      '--',
      `prisma/migrations/${migrations.sort().at(-1)}`,
    );
    return git('rev-parse', '--verify', '--quiet', `${added}^`);
  } catch {
    return undefined;
  }
})();

/** A build of an earlier commit, in a folder of its own, with the packages and the pages of the newest one. */
export class OlderBuild {
  private constructor(private readonly folder: string) {}

  static make(commit: string): OlderBuild {
    const folder = mkdtempSync(join(tmpdir(), 'premises-older-'));
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1e9 });
    execFileSync('tar', ['--extract', '--directory', folder], { input: archive });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    symlinkSync(join(root, 'web/dist'), join(folder, 'web/dist'));
    execFileSync(process.execPath, ['scripts/build.mjs', 'prisma', 'service'], { cwd: folder, stdio: 'pipe' });
    return new OlderBuild(folder);
  }

  /** The command that starts it. */
  get command(): readonly [string, ...string[]] {
    return [process.execPath, join(this.folder, 'dist', 'server.js')];
  }

  /** Runs a command of its command line. @returns the last line that it prints */
  run(env: Readonly<Record<string, string>>, args: readonly string[], input = ''): string {
    const options = { cwd: this.folder, env: { PATH: process.env.PATH, ...env }, input, encoding: 'utf8' } as const;
    const printed = execFileSync(process.execPath, [join(this.folder, 'dist', 'cli.js'), ...args], options);
    return printed.trimEnd().split('\n').at(-1) ?? '';
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}
