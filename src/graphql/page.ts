import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type File, makeFile, sendFile } from '../http/file.ts';
import { nothing, policy } from '../http/headers.ts';
import type { BuiltPages } from '../pages/index.ts';

/** The GraphiQL page: it carries all its scripts with it, some megabytes. */
export interface Page {
  readonly file: File;
  /** Its Content-Security-Policy. */
  readonly policy: string;
}

/** Makes the page of GraphiQL's HTML, and adds our bar to it. */
export async function makePage(graphiql: string, { script, styles }: BuiltPages['graphiql']): Promise<Page> {
  const bar = [
    ...styles.map((href) => `<link rel="stylesheet" href="${href}" />`),
    `<script type="module" src="${script}"></script>`,
  ];
  const end = graphiql.lastIndexOf('</body>');
  const html = `${graphiql.slice(0, end)}${bar.join('')}${graphiql.slice(end)}`.replace(
    '<html lang="en">',
    () => '<html lang="en" class="with-bar">',
  );
  const inline = [...graphiql.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return {
    file: await makeFile('text/html; charset=utf-8', html),
    policy: policy({
      ...nothing,
      // Its scripts are in the page, and are these; the editor's workers and fonts are written into them.
      'script-src': `'self' ${inline.join(' ')}`,
      'worker-src': 'blob: data:',
      'font-src': 'data:',
      'img-src': 'data:',
      // The editor sets styles wherever it draws.
      'style-src': `'self' 'unsafe-inline'`,
      'connect-src': `'self'`,
    }),
  };
}

/** Sends the page, or 304 to a browser that has it. */
export function sendPage(page: Page, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ 'content-security-policy': page.policy, 'cross-origin-opener-policy': 'same-origin' });
  return sendFile(page.file, request, reply);
}
