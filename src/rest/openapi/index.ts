import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { allowOnlyReads } from '../../http/errors.ts';
import { createFile, sendFile } from '../../http/file.ts';
import type { Api } from '../../resource/index.ts';
import { lazy } from '../lazy.ts';

/** The placeholder for the address in the document that is generated at build time. */
export const addressToCome = 'https://address-to-come.invalid';

/**
 * Serves the OpenAPI document without authentication. It is created on first use.
 * @param basePaths the prefixes that clients may use; the document is below the first
 */
export function serveOpenapi(
  app: FastifyInstance,
  api: Api,
  publicUrl: string,
  basePaths: readonly [string, ...string[]],
): void {
  const document = lazy(async () =>
    createFile('application/json; charset=utf-8', await readDocument(api, publicUrl, basePaths)),
  );
  const url = `${basePaths[0]}/openapi.json`;
  app.get(url, async (request, reply) => sendFile(await document(), request, reply));
  allowOnlyReads(app, url);
}

/**
 * Reads the document generated at build time, as generating it takes seconds and 180 MB; from source it is generated
 * here.
 */
async function readDocument(api: Api, publicUrl: string, basePaths: readonly string[]): Promise<string> {
  const built = join(import.meta.dirname, 'openapi.json');
  if (!existsSync(built)) {
    const { openapi } = await import('./document.ts');
    return JSON.stringify(openapi(api, publicUrl, basePaths));
  }
  // Escaped as in a JSON string.
  const address = JSON.stringify(publicUrl).slice(1, -1);
  return (await readFile(built, 'utf8')).replaceAll(addressToCome, () => address);
}
