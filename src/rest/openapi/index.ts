import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { onlyReads } from '../../http/errors.ts';
import { type File, makeFile, sendFile } from '../../http/file.ts';
import { nothing, policy } from '../../http/headers.ts';
import { lazy } from '../lazy.ts';
import { openapi } from './document.ts';

/** Files of Swagger UI, by the name they have in its package. */
const assets: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/**
 * Serves the OpenAPI document below each of `basePaths`, and a page that shows it at /docs. Nobody needs a token for either.
 * They are made when they are first asked for.
 */
export function serveOpenapi(
  app: FastifyInstance,
  schema: GraphQLSchema,
  publicUrl: string,
  basePaths: readonly string[],
): void {
  const document = lazy(() =>
    makeFile('application/json; charset=utf-8', JSON.stringify(openapi(schema, publicUrl, basePaths))),
  );
  for (const path of basePaths) serve(`${path}/openapi.json`, document);

  const packaged = createRequire(import.meta.url);
  for (const [name, type] of Object.entries(assets))
    serve(
      `/docs/${name}`,
      lazy(async () => makeFile(type, await readFile(packaged.resolve(`swagger-ui-dist/${name}`)))),
    );
  serve(
    '/docs/start.js',
    lazy(() => makeFile('text/javascript; charset=utf-8', script(`${basePaths[0]}/openapi.json`))),
  );
  serve(
    '/docs/page.css',
    lazy(() => makeFile('text/css; charset=utf-8', styles)),
  );
  serve(
    '/docs',
    lazy(() => makeFile('text/html; charset=utf-8', page)),
    (reply) => {
      // Requests that are tried out go to the address that the document names.
      reply.header(
        'content-security-policy',
        policy({
          ...nothing,
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
    onlyReads(app, url);
  }
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

/** Nothing of it asks another server: there is no validator, and no query of the page chooses the document. */
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
