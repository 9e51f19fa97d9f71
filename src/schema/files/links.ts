// Signed links, by which files are read and sent without a token or a session.

import type { Caller } from '../../auth/caller.ts';
import type { LinkHolder, LinkPurpose } from '../../auth/file-links.ts';
import type { Context } from '../../context.ts';
import { conflict, ServiceError } from '../../errors.ts';
import { uuidAt } from '../../formats.ts';
import { addressOf, linkPath } from './addresses.ts';

/** How long (ms) links are valid, those that read at least. */
const validMs = 10 * 60_000;

/** The path of the files that are sent in parts. */
export const uploadsPath = '/uploads';

/** How long (ms) the links to a file stay the same, so that browsers know what they have already. */
const sameMs = 5 * 60_000;

/** A link that a file is sent by. */
export interface UploadLink {
  readonly url: string;
  /** Where the file is sent in parts instead. */
  readonly resumableUrl: string;
  readonly expiresAt: Date;
}

/** The address of a file's content for everybody who knows it; null where there are no links. */
export async function readLink(id: string, context: Context): Promise<string | null> {
  const { caller, fileLinks } = context;
  if (!fileLinks || !isHolder(caller)) return null;
  const expiresAt = new Date(Math.ceil(Date.now() / sameMs) * sameMs + validMs);
  return `${linkPath(id, context)}?link=${await fileLinks.sign({ purpose: 'read', id }, caller, expiresAt)}`;
}

/** Makes the address that a file with a name is sent to, once. @throws ServiceError where there are no links */
export async function createUploadLink(name: string, context: Context): Promise<UploadLink> {
  const { caller, fileLinks } = context;
  if (!fileLinks || !isHolder(caller)) throw noLinks();
  const expiresAt = new Date(Date.now() + validMs);
  const link = await fileLinks.sign({ purpose: 'send', id: uuidAt(new Date()), name }, caller, expiresAt);
  const query = `?name=${encodeURIComponent(name)}&link=${link}`;
  return {
    url: addressOf('/files', context) + query,
    resumableUrl: addressOf(uploadsPath, context) + query,
    expiresAt,
  };
}

/** Makes the parameter of a link that goes on sending a file. @throws ServiceError where there are no links */
export async function resumeLink(id: string, expiresAt: Date, { caller, fileLinks }: Context): Promise<string> {
  if (!fileLinks || !isHolder(caller)) throw noLinks();
  return fileLinks.sign({ purpose: 'resume', id }, caller, expiresAt);
}

/**
 * Runs what a link to send a file is for, once: a use that fails does not count.
 *
 * @throws ServiceError CONFLICT when the link was used
 */
export async function useOnce<T>(
  link: string,
  name: string,
  { fileLinks }: Context,
  work: () => Promise<T>,
): Promise<T> {
  const purpose: LinkPurpose = 'send';
  const found = await fileLinks?.read(link, { purpose, name });
  if (!fileLinks || !found) throw new ServiceError('INVALID_TOKEN', 'The link is not valid, or has expired.');
  if (!(await fileLinks.use(found.id))) throw conflict('The link was used. Make another one for another file.');
  try {
    return await work();
  } catch (error) {
    await fileLinks.giveBack(found.id).catch(() => {});
    throw error;
  }
}

const noLinks = () => new ServiceError('SERVICE_UNAVAILABLE', 'The store of files is not available.');

/** Whether links can name a caller. */
export const isHolder = (caller: Caller): caller is Caller & LinkHolder => caller.kind !== 'guest';
