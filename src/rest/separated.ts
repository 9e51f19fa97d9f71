// Lists of values in a query: separated by commas, in quotes where a value contains a comma, as in CSV.
import { badRequest } from '../errors.ts';

const quoted = '"(?:[^"]|"")*"\\s*';
const plain = '[^\\s",][^,]*';

/** The syntax of values separated by commas. */
export const separatedPattern = `^\\s*(?:${quoted}|${plain})?(?:,\\s*(?:${quoted}|${plain})?)*$`;

const nextValue = new RegExp(`\\s*(?:(${quoted})|(${plain})?)(,|$)`, 'y');

/**
 * Splits values at commas, except those in double quotes; quotes in these are doubled. Spaces around a value are not
 * part of it.
 *
 * @throws ServiceError BAD_REQUEST for a quoted value that does not end at a comma
 */
export function splitSeparated(text: string): string[] {
  const values: string[] = [];
  nextValue.lastIndex = 0;
  for (let end: string | undefined; end !== ''; ) {
    const found = nextValue.exec(text);
    if (!found) throw badRequest('must have a closing quote at the end of a quoted value');
    const [, inQuotes, bare = ''] = found;
    values.push(inQuotes?.trimEnd().slice(1, -1).replaceAll('""', '"') ?? bare.trim());
    end = found[3];
  }
  return values;
}
