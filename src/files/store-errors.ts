import { UnavailableError } from '../errors.ts';

const unavailable = (message: string, cause: unknown) => new UnavailableError(message, 'store of files', cause);

/** 503: there is no room for a file. */
export const storeFull = (cause: unknown) => unavailable('The store of files is full; nothing was stored.', cause);

/** 503: the store does not answer, or refuses. */
export const storeUnavailable = (cause: unknown) =>
  unavailable('The store of files is not available; try again later.', cause);

/** The code of an error of the system. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? '';

/** The error for what the file system refuses. Others are those of the content. */
export function explainSystemError(error: unknown): unknown {
  const code = codeOf(error);
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) return storeFull(error);
  if (['EACCES', 'EPERM', 'EROFS', 'EIO', 'ENOENT', 'ENOTDIR', 'EMFILE', 'ENFILE', 'ESTALE'].includes(code))
    return storeUnavailable(error);
  return error;
}

/** What is wrong with a store, for operators. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
