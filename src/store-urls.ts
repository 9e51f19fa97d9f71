/** Where objects are in S3, or in what speaks its protocol. */
export interface S3Address {
  readonly bucket: string;
  /** What the keys of all objects begin with: empty, or with a slash at its end. */
  readonly prefix: string;
  /** The server; undefined for that of AWS in the region. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Whether the bucket is in the path, and not in the name of the host. */
  readonly pathStyle: boolean;
}

const parameters = ['endpoint', 'region', 'path_style'];

/**
 * Reads `s3://bucket/prefix?endpoint=https://host&region=name&path_style=false`. Servers with an address of their own
 * have the bucket in the path unless `path_style` says otherwise.
 *
 * @throws Error that says what the URL must be, without the URL
 */
export function readS3Url(text: string): S3Address {
  if (!URL.canParse(text)) throw new Error('must be s3://bucket/prefix');
  const { protocol, hostname: bucket, pathname, username, port, hash, searchParams } = new URL(text);
  if (protocol !== 's3:' || !/^[a-z\d][a-z\d._-]{1,61}[a-z\d]$/.test(bucket) || username !== '' || port + hash !== '')
    throw new Error('must be s3://bucket/prefix, and has no keys');
  const prefix = pathname.replaceAll(/^\/+|\/+$/g, '');
  if (!/^[\w./-]*$/.test(prefix)) throw new Error('must have a prefix of letters, digits, and -_./');
  for (const name of searchParams.keys())
    if (!parameters.includes(name)) throw new Error(`has the unknown parameter ${name}: ${parameters.join(', ')}`);
  const [endpoint, region, pathStyle] = parameters.map((name) => searchParams.get(name) ?? undefined);
  if (endpoint !== undefined && !/^https?:\/\/[^/?#@]+\/?$/.test(endpoint))
    throw new Error('must have an endpoint that is https://host, or http://host');
  if (pathStyle !== undefined && !['true', 'false'].includes(pathStyle))
    throw new Error('must have path_style true or false');
  return {
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region,
    pathStyle: pathStyle === undefined ? endpoint !== undefined : pathStyle === 'true',
  };
}

/** What is wrong with such a URL, without the URL; undefined if nothing is. */
export function findProblem(text: string): string | undefined {
  try {
    readS3Url(text);
    return undefined;
  } catch (error) {
    return String((error as Error).message); // it throws no others
  }
}

/** Whether a URL is one of a scanner. */
export const isClamdUrl = (text: string): boolean =>
  /^(tcp:\/\/[^/?#@]+:\d+|unix:\/\/\/[^?#]+)$/.test(text) && URL.canParse(text);
