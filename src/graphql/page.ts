import { createHash } from 'node:crypto';
import { denyAll, policy } from '../http/headers.ts';

/**
 * Adds our bar to GraphiQL's page, when the pages are built.
 *
 * @param graphiql its HTML, which carries all its scripts with it
 * @param bar the bar's script and styles, as they are called in `web/dist`
 * @returns the page, and the Content-Security-Policy that it is sent with
 */
export function addBar(graphiql: string, bar: { file: string; css?: string[] }): { html: string; policy: string } {
  const tags = [
    ...(bar.css ?? []).map((name) => `<link rel="stylesheet" href="/${name}" />`),
    `<script type="module" src="/${bar.file}"></script>`,
  ];
  const end = graphiql.lastIndexOf('</body>');
  const html = `${graphiql.slice(0, end)}${tags.join('')}${graphiql.slice(end)}`.replace(
    '<html lang="en">',
    () => '<html lang="en" class="with-bar">',
  );
  const inline = [...graphiql.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return {
    html,
    policy: policy({
      ...denyAll,
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
