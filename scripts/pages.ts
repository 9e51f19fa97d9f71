// Builds everything served from web/dist: the pages in web/, with compressed copies.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { writePackages } from './packages.mjs';

const web = join(import.meta.dirname, '../web');
const dist = join(web, 'dist');

const built = await build({ configFile: join(web, 'vite.config.ts'), logLevel: 'warn' });
await compress();
writePackages(dist, modulesOf(built));

/** The modules of all scripts, and GraphiQL's package, whose scripts are served as they are. */
function* modulesOf(output: typeof built): Iterable<string> {
  if (!('output' in output)) throw new Error('The pages are one build.');
  for (const file of output.output) if (file.type === 'chunk') yield* file.moduleIds;
  yield fileURLToPath(import.meta.resolve('@graphql-yoga/render-graphiql'));
}

/** Writes compressed copies next to each file that is served as it is. */
async function compress() {
  for (const name of await readdir(dist, { recursive: true })) {
    if (!['.css', '.js', '.svg', '.wasm'].includes(extname(name)) && name !== 'graphiql.html') continue;
    const file = join(dist, name);
    const content = await readFile(file);
    // The two highest qualities take ten times as long, for a tenth of the size. GraphiQL is too large for them.
    const params = { [constants.BROTLI_PARAM_QUALITY]: content.length < 500_000 ? 11 : 9 };
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
    await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
  }
}
