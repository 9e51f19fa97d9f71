// Builds everything served from web/dist: the pages in web/, GraphiQL, and Swagger UI's files.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { build } from 'vite';
import { exampleTabs } from '../src/graphql/examples.ts';
import { addBar } from '../src/graphql/page.ts';

const web = join(import.meta.dirname, '../web');
const dist = join(web, 'dist');

await build({ configFile: join(web, 'vite.config.ts'), logLevel: 'warn' });
await buildGraphiql();
await copySwaggerUi();
await compress();

async function buildGraphiql() {
  const html = renderGraphiQL({
    title: 'Premises',
    endpoint: '/graphql',
    defaultTabs: exampleTabs,
    // The place for a token. Without one, requests use the session. The header is not persisted, so that the next
    // person at the same browser does not get the token.
    headers: JSON.stringify({ Authorization: 'Bearer ' }),
    shouldPersistHeaders: false,
  });
  const manifest = JSON.parse(await readFile(join(dist, 'manifest.json'), 'utf8')) as Record<
    string,
    { file: string; css?: string[] }
  >;
  const { html: page, policy } = addBar(html, manifest['src/graphiql.ts'] ?? { file: '' });
  await writeFile(join(dist, 'graphiql.html'), page);
  await writeFile(join(dist, 'graphiql.json'), JSON.stringify({ policy }));
}

async function copySwaggerUi() {
  const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  await mkdir(join(dist, 'docs'), { recursive: true });
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'])
    await cp(join(from, name), join(dist, 'docs', name));
}

/** Writes a compressed copy next to each file that is served as it is. */
async function compress() {
  for (const name of await readdir(dist, { recursive: true })) {
    if (!['.css', '.js', '.svg'].includes(extname(name)) && name !== 'graphiql.html') continue;
    const file = join(dist, name);
    await writeFile(`${file}.gz`, await promisify(gzip)(await readFile(file), { level: 9 }));
  }
}
