import { isUuid } from '../formats.ts';

/**
 * The path of an address for the log and for traces, without the query, which may contain personal data, and without
 * anything that could be a secret, such as a guest's tracking token: what is neither a word, an id nor a file stands as
 * `<…>`.
 */
export function loggablePath(url: string): string {
  const [path = ''] = url.split('?', 1);
  if (assetPath.test(path)) return path;
  const parts = path.split('/');
  return parts.map((part) => (isUuid(part) || loggableSegment.test(part) ? part : '<…>')).join('/');
}

/** Elsewhere a name with a hash could be a token with a suffix. */
const assetPath = /^\/assets\/[\w-]+\.(js|css|json|svg|png|woff2?)$/;
const loggableSegment = /^([a-z_-]{0,40}(\.(json|svg|png))?|v1)$/;
