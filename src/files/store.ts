import type { Readable } from 'node:stream';

/** Where the bytes of files are. Keys consist of letters, digits, `-` and `/`. */
export interface FileStore {
  /**
   * Stores an object, all of it or, when the content fails, nothing.
   *
   * @throws ServiceError SERVICE_UNAVAILABLE when the store is full or cannot be reached
   */
  write(key: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Reads an object, or the bytes from `start` to `end`, both included.
   *
   * @returns undefined if there is none
   * @throws ServiceError SERVICE_UNAVAILABLE when the store cannot be reached
   */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** How many bytes an object has; undefined if there is none. @throws ServiceError as `read` does */
  sizeOf(key: string): Promise<number | undefined>;
  /** Deletes all objects whose keys begin with this and a slash. There may be none. */
  remove(folder: string): Promise<void>;
  /** Lists all objects, in any order, with the time when each was stored. */
  list(): AsyncIterable<StoredObject>;
  /** Finds out whether it can be used. @throws Error that says why not, for operators */
  check(): Promise<void>;
  /**
   * Makes an address at which the store itself sends an object, to whoever knows it.
   * Undefined where the store has no addresses.
   */
  sign?(key: string, answer: SignedAnswer): Promise<string>;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** A part of an object, by the places of its first and its last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An object of a store. */
export interface StoredObject {
  readonly key: string;
  readonly storedAt: Date;
}

/** What the store answers at a signed address, and for how long. */
export interface SignedAnswer {
  readonly type: string;
  /** The header `Content-Disposition`. */
  readonly disposition: string;
  readonly seconds: number;
}

/** A file, by its key in the database. */
export interface FileKey {
  readonly companyId: string;
  readonly id: string;
}

/** The folder of a file: its bytes, and what was made of them. The last digits of an id are random. */
export const folderOf = ({ companyId, id }: FileKey): string => `${companyId}/${id.slice(-2)}/${id}`;

/** The object with the bytes of a file, as they were sent. */
export const originalOf = (key: FileKey): string => `${folderOf(key)}/original`;

/** An object with a part of a file that is being sent. @param folder the key that its folder is named by */
export const partOf = (folder: FileKey, part: string): string => `${folderOf(folder)}/${part}`;

/** The address of a file's content. It is the same for everybody, and has no secret. */
export const contentAddress = (publicUrl: string, id: string): string => `${publicUrl}/api/v1/files/${id}/content`;

/** The file that an object of the store belongs to; undefined for what no file has. */
export function fileOf(key: string): FileKey | undefined {
  const [companyId, , id, part, ...rest] = key.split('/');
  return companyId && id && part && rest.length === 0 ? { companyId, id } : undefined;
}
