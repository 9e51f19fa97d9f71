// Several people as somebody writes or pastes them, one a line.

/** Somebody to invite. */
export interface Invited {
  readonly fullName: string;
  readonly email: string;
}

/** An email address in a line, with what stands around it: `Ada Lovelace <ada@acme.com>`, `ada@acme.com; Ada`. */
const addressForm = /[<("']?([^\s<>()"',;]+@[^\s<>()"',;]+)[>)"']?/;

/** A name from an address: `ada.lovelace@acme.com` is of Ada Lovelace. */
const nameOf = (email: string): string =>
  (email.split('@')[0] ?? '')
    .split(/[._+-]+/)
    .filter((part) => part !== '')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(' ');

/**
 * Reads people, one a line. Addresses alone may also share a line, with commas or semicolons between them.
 *
 * @returns the people, each address once, and the lines without an address
 */
export function readPeople(text: string): { readonly people: readonly Invited[]; readonly unread: readonly string[] } {
  const people = new Map<string, Invited>();
  const unread: string[] = [];
  for (const line of text.split('\n').flatMap(splitAddresses)) {
    const [found, email] = addressForm.exec(line) ?? [];
    if (found === undefined || email === undefined) {
      unread.push(line);
      continue;
    }
    const around = line
      .replace(found, ' ')
      .replaceAll(/[\s,;"']+/g, ' ')
      .trim();
    const key = email.toLowerCase();
    if (!people.has(key)) people.set(key, { email, fullName: around || nameOf(email) });
  }
  return { people: [...people.values()], unread };
}

/** The parts of a line that has several addresses; otherwise the line, unless it is empty. */
function splitAddresses(line: string): readonly string[] {
  const isSeveral = line.split('@').length > 2;
  return (isSeveral ? line.split(/[,;]/) : [line]).map((part) => part.trim()).filter((part) => part !== '');
}
