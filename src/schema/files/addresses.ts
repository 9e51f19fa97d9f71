import type { Context } from '../../context.ts';
import { contentAddress } from '../../files/index.ts';

/** The address of a route, as the caller's service is known. */
export const addressOf = (path: string, { files }: Pick<Context, 'files'>): string =>
  `${files?.publicUrl ?? ''}/api/v1${path}`;

/** The address of a file's content, as the caller's service shows it. It is the same for everybody. */
export const contentPath = (id: string, { files }: Pick<Context, 'files'>): string =>
  contentAddress(files?.publicUrl ?? '', id);

/** The address of a file's content for links, which may be on a host of its own. */
export const linkPath = (id: string, { files }: Pick<Context, 'files'>): string =>
  contentAddress(files?.origin ?? files?.publicUrl ?? '', id);
