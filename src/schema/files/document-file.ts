import type { Context } from '../../context.ts';
import type { FieldErrors } from '../../errors.ts';
import { rules } from '../../resource/index.ts';
import { contentPath } from './addresses.ts';

/** The fields of a row that is about one file: sent to the service, or somewhere else. */
interface FileColumns {
  readonly fileId?: string | null;
  readonly fileUrl?: string | null;
}

/** The field `fileUrl`, whose file `fileId` may be sent to the service. */
export const documentFields = { fileId: {}, fileUrl: { rule: rules.url } } as const;

interface Write<Data extends FileColumns> {
  readonly context: Context;
  readonly data: Data;
  readonly previous?: FileColumns | null;
}

/** Rejects a file here together with one elsewhere. */
function validate({ context, data: { fileId, fileUrl } }: Write<FileColumns>): FieldErrors {
  if (fileId == null || fileUrl == null || fileUrl === contentPath(fileId, context)) return {};
  return { fileUrl: 'must be left out where the file was sent to the service' };
}

/** Sets the address of a file, and forgets the file for an address elsewhere. */
function setAddress<Data extends FileColumns>({ context, data, previous }: Write<Data>): Data {
  const { fileId, fileUrl } = data;
  if (fileId != null) return { ...data, fileUrl: contentPath(fileId, context) };
  const known = previous?.fileId;
  if (known == null) return data;
  if (fileUrl !== undefined && fileUrl !== contentPath(known, context)) return { ...data, fileId: null };
  return fileId === null ? { ...data, fileUrl: fileUrl ?? null } : data;
}

/** The file of a row after a write; null for none. */
export const fileAfter = (write: Write<FileColumns>): string | null => {
  const { fileId } = setAddress(write);
  return fileId === undefined ? (write.previous?.fileId ?? null) : fileId;
};

/** The hooks of rows that are about one file. */
export const documentHooks = {
  validate,
  resolveInput: {
    create: <Data extends FileColumns>(write: Write<Data>) => setAddress(write),
    update: <Data extends FileColumns>(write: Write<Data>) => setAddress(write),
  },
};
