// npm run schema:breaking, in temporary repositories.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';

const script = join(import.meta.dirname, '../../scripts/breaking.ts');
const tsx = fileURLToPath(import.meta.resolve('tsx'));
const folder = mkdtempSync(join(tmpdir(), 'premises-breaking-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Git without user settings, independent of the surrounding repository. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'Ann'],
      [`GIT_${who}_EMAIL`, 'ann@example.com'],
    ]),
  ),
};

let repository: string;
let count = 0;
beforeEach(() => {
  repository = join(folder, String(++count));
  mkdirSync(repository);
});

const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, env, stdio: 'pipe' });
const write = (...fields: string[]) =>
  writeFileSync(
    join(repository, 'schema.graphql'),
    `type Query {\n${fields.map((field) => `  ${field}: Int\n`).join('')}}\n`,
  );

/** Commits a schema with these fields. */
function commit(message: string, ...fields: string[]) {
  write(...fields);
  git('add', 'schema.graphql');
  git('commit', '--allow-empty', '--message', message);
}

function begin(...fields: string[]) {
  git('init', '--initial-branch', 'main');
  commit('Begin', ...fields);
}

function compare(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', tsx, script, ...args], {
    cwd: repository,
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

const hasGit = spawnSync('git', ['--version']).status === 0;
(hasGit ? describe : describe.skip)('a change of the schema', () => {
  test('that only adds fields is accepted', () => {
    begin('paint');
    commit('Add desks', 'paint', 'desk');
    expect(compare()).toEqual({ status: 0, output: expect.stringContaining('nothing breaks clients') });
  });

  test('that removes fields is reported and rejected, before and after the commit', () => {
    begin('paint', 'desk');
    write('paint');
    expect(compare()).toEqual({
      status: 1,
      output: expect.stringMatching(/BREAK +Query\.desk was removed\. +\(not committed yet\)[^]*BREAKING CHANGE: /),
    });
    commit('Tidy up', 'paint');
    expect(compare()).toEqual({
      status: 1,
      output: expect.stringMatching(/BREAK +Query\.desk was removed\. +\(\w+ Tidy up\)/),
    });
  });

  test('is accepted if its commit message documents it', () => {
    begin('paint', 'desk');
    commit('Give desks up\n\nBREAKING CHANGE: ask for paint instead.', 'paint');
    expect(compare()).toEqual({
      status: 0,
      output: expect.stringMatching(/NOTED +Query\.desk was removed\. +\(\w+ Give desks up\)/),
    });
  });

  test('is compared with the last release, and can be documented by a later commit', () => {
    begin('paint', 'desk', 'area');
    git('tag', 'v1.0.0');
    commit('Give desks up\n\nBREAKING CHANGE: ask for paint instead.', 'paint', 'area');
    commit('Tidy up', 'paint');
    commit('Add notes', 'paint', 'note');
    expect(compare()).toEqual({
      status: 1,
      output: expect.stringMatching(
        /v1\.0\.0: 2 breaking[^]*NOTED +Query\.desk[^]*BREAK +Query\.area was removed\. +\(\w+ Tidy up\)/,
      ),
    });
    commit('Say what went\n\nBREAKING CHANGE: areas are gone. Query.area\nwas removed.', 'paint', 'note');
    expect(compare()).toMatchObject({ status: 0 });
  });

  test('is compared with the start of the branch, or with a given commit', () => {
    begin('paint', 'desk');
    const origin = repository;
    repository = join(folder, 'clone');
    execFileSync('git', ['clone', '--quiet', origin, repository], { env });
    commit('Tidy up', 'paint');
    commit('Add notes', 'paint', 'note');
    expect(compare()).toEqual({ status: 1, output: expect.stringContaining('Query.desk was removed.') });
    expect(compare('HEAD^')).toMatchObject({ status: 0 });
    expect(compare('nowhere')).toEqual({ status: 2, output: expect.stringContaining('nowhere') });
  });

  test('is not compared without an earlier version', () => {
    write('paint');
    expect(compare()).toEqual({ status: 0, output: expect.stringContaining('Not compared') });
    begin('paint', 'desk');
    commit('Tidy up', 'paint');
    const origin = repository;
    repository = join(folder, 'shallow');
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${origin}`, repository], { env });
    expect(compare()).toEqual({ status: 0, output: expect.stringMatching(/Not compared[^]*shallow/) });
  });
});
