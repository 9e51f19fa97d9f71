// Detects whether the build is up to date with the sources.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');
export const recordFile = join(root, 'build.json');

/** The sources and outputs of each part, in build order. */
const parts = {
  prisma: {
    sources: ['prisma/schema', 'prisma/facts.mjs', 'prisma.config.ts', 'scripts/prisma.mjs'],
    product: 'src/database/generated/client/client.ts',
  },
  pages: {
    sources: ['web', 'docs/tutorials', 'scripts/pages.ts'],
    product: 'web/dist/graphiql.html.br',
  },
  service: {
    sources: ['src', 'prisma/schema', 'scripts/openapi.ts', 'scripts/build.mjs'],
    product: 'dist/openapi.json',
  },
  // Part of what the service needs, but made anew only when a migration is added, as that takes long.
  database: {
    sources: ['prisma/migrations', 'scripts/database.ts'],
    product: 'dist/database/PG_VERSION',
  },
  tests: {
    sources: ['src', 'prisma/schema', 'test/support', 'scripts/build.mjs'],
    product: 'test/dist/src/app.js',
  },
};

/** What `npm start` needs. */
export const serviceParts = ['prisma', 'pages', 'service', 'database'];

/** Build outputs, which are not sources. */
const built = new Set([join(root, 'web/dist'), join(root, 'src/database/generated')]);

/** A digest of each part's sources and of the versions of all packages. */
export function fingerprints() {
  return Object.fromEntries(
    Object.entries(parts).map(([part, { sources }]) => {
      const hash = createHash('sha256');
      for (const file of ['package.json', 'package-lock.json', ...sources].flatMap((source) =>
        filesIn(join(root, source)),
      ))
        hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
      return [part, hash.digest('hex')];
    }),
  );
}

/** Those of the parts that are missing or were built from other sources. */
export function outdatedParts(wanted = serviceParts) {
  // A container image may have the build without the sources.
  const hasSources = existsSync(join(root, 'src'));
  const record = existsSync(recordFile) ? JSON.parse(readFileSync(recordFile, 'utf8')) : {};
  const now = hasSources ? fingerprints() : record;
  return wanted.filter(
    (part) =>
      (hasSources || part !== 'prisma') && (!existsSync(join(root, parts[part].product)) || record[part] !== now[part]),
  );
}

/** Whether the development dependencies are installed. */
export function canBuild() {
  const packages = createRequire(import.meta.url);
  return ['esbuild', 'vite', 'prisma/package.json', 'tsx'].every((name) => {
    try {
      return packages.resolve(name);
    } catch {
      return false;
    }
  });
}

function filesIn(path) {
  if (built.has(path) || !existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
