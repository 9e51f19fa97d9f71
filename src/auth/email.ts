import { fitsLocalPart, localPartError } from '../formats.ts';

/** A label of a domain name; the local part of an email address (RFC 5321) follows. */
const label = '[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?';
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";

/** The pattern of an email address. */
export const emailPattern = `${atom}([.]${atom})*@(${label}[.])+${label}`;

const form = new RegExp(`^(${emailPattern})$`);

/** Checks an email address. @returns what is wrong with it; undefined for a good one */
export function findEmailError(text: string): string | undefined {
  if (!form.test(text)) return 'must be an email address';
  return fitsLocalPart(text) ? undefined : localPartError;
}
