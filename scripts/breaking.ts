// Lists the breaking changes of schema.graphql since the last release, and fails unless a commit message documents
// each:
//   npm run schema:breaking, or npm run schema:breaking -- <revision> to compare with another one.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { buildSchema, findBreakingChanges, type GraphQLSchema } from 'graphql';

const file = './schema.graphql';

/** Git's output; undefined when the command fails, or without a repository or Git. */
function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return status === 0 ? stdout.trim() : undefined;
}

const revision = (name: string) => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
const lines = (text: string | undefined) => (text ? text.split('\n') : []);

/** A commit, and its description. */
interface Base {
  readonly commit: string;
  readonly description: string;
}

/** The version to compare with: the last release, else where this branch began, else the previous version. */
function findBase(): Base | undefined {
  const release = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*');
  if (release) return { commit: release, description: `the release ${release}` };
  const fork = git('merge-base', 'HEAD', 'origin/HEAD') ?? git('merge-base', 'HEAD', 'origin/main');
  if (fork && fork !== revision('HEAD'))
    return { commit: fork, description: `where this branch left origin's (${fork.slice(0, 9)})` };
  const changed = git('log', '-1', '--format=%H', '--', file);
  const before = isCommitted() ? changed && revision(`${changed}^`) : revision('HEAD');
  return before
    ? { commit: before, description: `the version before the last change (${before.slice(0, 9)})` }
    : undefined;
}

const isCommitted = () => git('diff', '--quiet', 'HEAD', '--', file) !== undefined;

const parsed = new Map<string, GraphQLSchema>();

/** The schema at a commit, or in the working tree; undefined where there is none. */
function schemaAt(commit?: string): GraphQLSchema | undefined {
  const text = commit ? git('show', `${commit}:${file}`) : readFileSync(file, 'utf8').trim();
  if (!text) return undefined;
  const schema = parsed.get(text) ?? buildSchema(text);
  parsed.set(text, schema);
  return schema;
}

/** The breaking changes between two versions, by subject: a type that changed twice is one change. */
function listBreakingChanges(before: GraphQLSchema | undefined, after: GraphQLSchema | undefined): Map<string, string> {
  const changes = before && after ? findBreakingChanges(before, after) : [];
  return new Map(changes.map(({ description }) => [description.replace(/ from .+ to .+$/, ''), description]));
}

/** The footer that Conventional Commits define for breaking changes. */
const footer = /^BREAKING[ -]CHANGE: \S/m;

interface Commit {
  readonly title: string;
  readonly message: string;
  readonly breakingChanges: Map<string, string>;
}

function commitsSince(base: string): Commit[] {
  const touching = new Set(lines(git('log', '--format=%H', `${base}..HEAD`, '--', file)));
  return lines(git('log', '--format=%H', `${base}..HEAD`)).map((commit) => ({
    title: git('log', '-1', '--format=%h %s', commit) ?? commit,
    message: git('log', '-1', '--format=%B', commit) ?? '',
    breakingChanges: touching.has(commit)
      ? listBreakingChanges(schemaAt(`${commit}^`), schemaAt(commit))
      : new Map<string, string>(),
  }));
}

function main(): number {
  const [given] = process.argv.slice(2);
  const base = given ? { commit: revision(given), description: given } : findBase();
  if (given && !base?.commit) {
    console.error(`There is no revision ${given} here.`);
    return 2;
  }
  const before = base?.commit ? schemaAt(base.commit) : undefined;
  if (!base?.commit || !before) {
    const shallow = git('rev-parse', '--is-shallow-repository') === 'true';
    console.log(
      `Not compared: there is no earlier schema.graphql here.${shallow ? ' This clone is shallow; `git fetch --unshallow --tags` brings the rest.' : ''}`,
    );
    return 0;
  }
  const found = listBreakingChanges(before, schemaAt());
  console.log(
    `schema.graphql, compared with ${base.description}: ${found.size === 0 ? 'nothing breaks clients' : `${found.size} breaking ${found.size === 1 ? 'change' : 'changes'}`}.`,
  );
  if (found.size === 0) return 0;

  const commits = commitsSince(base.commit);
  const acknowledging = commits.filter(({ message }) => footer.test(message));
  const quoted = acknowledging.map(({ message }) => message.replace(/\s+/g, ' ')).join('\n');
  let unacknowledged = 0;
  for (const [change, description] of found) {
    const author = commits.find((commit) => commit.breakingChanges.has(change));
    const acknowledged = (author && acknowledging.includes(author)) || quoted.includes(description);
    if (!acknowledged) unacknowledged += 1;
    console.log(`  ${acknowledged ? 'NOTED' : 'BREAK'}  ${description}  (${author?.title ?? 'not committed yet'})`);
  }
  if (unacknowledged === 0) return 0;
  console.log(
    'The message of a commit that breaks clients needs a line that explains what to do: "BREAKING CHANGE: ...". If it has none,',
  );
  console.log('a later commit can add such a line that quotes the change as printed here.');
  return 1;
}

process.exitCode = main();
