import { createHash } from 'node:crypto';
import { denyAll, policy } from '../http/headers.ts';

/**
 * Adds our bar to GraphiQL's page, at build time.
 *
 * @param graphiql its HTML, with all scripts inline
 * @param bar the bar's script and styles, by their names in `web/dist`
 * @returns the page, and its Content-Security-Policy
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
      // Only these inline scripts; the editor's workers and fonts are embedded in them.
      'script-src': `'self' ${inline.join(' ')}`,
      'worker-src': 'blob: data:',
      'font-src': 'data:',
      'img-src': 'data:',
      // The editor adds inline styles.
      'style-src': `'self' 'unsafe-inline'`,
      'connect-src': `'self'`,
    }),
  };
}
