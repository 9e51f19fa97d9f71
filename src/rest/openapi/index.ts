import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { allowOnlyReads } from '../../http/errors.ts';
import { createFile, type File, sendFile } from '../../http/file.ts';
import { denyAll, policy } from '../../http/headers.ts';
import { lazy } from '../lazy.ts';

/** The placeholder for the address in the document that is generated at build time. */
export const addressToCome = 'https://address-to-come.invalid';

/**
 * Serves the OpenAPI document below each of `basePaths`, and Swagger UI at /docs, without authentication. Both are
 * created on first use. Swagger UI's own files are among those of the pages.
 */
export function serveOpenapi(
  app: FastifyInstance,
  schema: GraphQLSchema,
  publicUrl: string,
  basePaths: readonly string[],
): void {
  const document = lazy(async () =>
    createFile('application/json; charset=utf-8', await readDocument(schema, publicUrl, basePaths)),
  );
  for (const path of basePaths) serve(`${path}/openapi.json`, document);

  serve(
    '/docs/start.js',
    lazy(() => createFile('text/javascript; charset=utf-8', script(`${basePaths[0]}/openapi.json`))),
  );
  serve(
    '/docs/page.css',
    lazy(() => createFile('text/css; charset=utf-8', styles)),
  );
  serve(
    '/docs',
    lazy(() => createFile('text/html; charset=utf-8', page)),
    (reply) => {
      // "Try it out" sends requests to the address in the document.
      reply.header(
        'content-security-policy',
        policy({
          ...denyAll,
          'script-src': `'self'`,
          'style-src': `'self'`,
          'img-src': `'self' data:`,
          'connect-src': `'self' ${new URL(publicUrl).origin}`,
        }),
      );
    },
  );

  function serve(url: string, file: () => Promise<File>, prepare?: (reply: FastifyReply) => void): void {
    app.get(url, async (request: FastifyRequest, reply) => {
      prepare?.(reply);
      return sendFile(await file(), request, reply);
    });
    allowOnlyReads(app, url);
  }
}

/**
 * Reads the document generated at build time, as generating it takes seconds and 180 MB; from source it is generated
 * here.
 */
async function readDocument(schema: GraphQLSchema, publicUrl: string, basePaths: readonly string[]): Promise<string> {
  const built = join(import.meta.dirname, 'openapi.json');
  if (!existsSync(built)) {
    const { openapi } = await import('./document.ts');
    return JSON.stringify(openapi(schema, publicUrl, basePaths));
  }
  // Escaped as in a JSON string.
  const address = JSON.stringify(publicUrl).slice(1, -1);
  return (await readFile(built, 'utf8')).replaceAll(addressToCome, () => address);
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Premises API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<div id="docs"></div>
<noscript>This page needs JavaScript. What it shows is the <a href="/api/v1/openapi.json">OpenAPI document</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const styles = 'body { margin: 0; }\n';

/** No request goes to another server: there is no validator, and the page's query cannot select another document. */
const script = (url: string) => `SwaggerUIBundle(${JSON.stringify({
  url,
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  filter: true,
  queryConfigEnabled: false,
  validatorUrl: null,
})});
`;
