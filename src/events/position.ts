import { badRequest } from '../errors.ts';

/** A position in the log of changes. Changes are in the order of `xid`, then `seq`. */
export interface Position {
  /**
   * Identifies the log: another one begins when a database is restored from a dump. Where a standby may take over that
   * has less than the server, it is followed by how much the server had written when the position was read.
   */
  readonly generation: string;
  /** Transaction, as a number in text: it may be larger than JavaScript's exact integers. */
  readonly xid: string;
  readonly seq: string;
}

const form = /^([0-9a-f]{8}(?:-[0-9a-f]{1,15})?)\.(\d{1,18})\.(\d{1,18})$/;

/** The parts of a position's generation. @returns `written` in bytes, as hexadecimal digits; 0 where it says nothing */
export function partsOf({ generation }: Position): { readonly label: string; readonly written: string } {
  const [label = '', written = '0'] = generation.split('-');
  return { label, written };
}

/** A position as clients get it: opaque text. */
export const encodePosition = ({ generation, xid, seq }: Position): string =>
  Buffer.from(`${generation}.${xid}.${seq}`).toString('base64url');

/** Reads a position from a client. @throws ServiceError BAD_REQUEST naming the argument */
export function decodePosition(text: string, argument: string): Position {
  const [, generation, xid, seq] = form.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (generation === undefined || xid === undefined || seq === undefined)
    throw badRequest('must be a position that the service has returned', argument);
  return { generation, xid, seq };
}
