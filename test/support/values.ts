import { randomBytes, randomUUID } from 'node:crypto';
import { storedTypes, typeOfScalar } from '../../src/fields/index.ts';
import type { Field } from './resources.ts';

/** Settings that do not restrict other rows. */
const lenient: Record<string, boolean> = { requireLocation: false, allowOvertime: true };

const digits = (n: number, length = 3) => String(n).padStart(length, '0');

/**
 * The nth value of a field. Texts are unique; numbers, dates and others repeat, so that sorting has ties. Their order
 * differs from that of the rows, and is the same under any collation.
 */
export function scalar({ name, type, facts }: Field, n: number): unknown {
  const rank = (n * 37 + name.length * 11) % 101;
  // No row expires during the tests, and some are unique per day.
  const later = /^(end|expected|due|scheduled|clockOut)/i.test(name)
    ? 2099
    : name === 'completionDate'
      ? 2001 + n
      : 2026;
  const day = `${later}-03-${digits(1 + (rank % 5), 2)}`;
  switch (type.name) {
    case 'ID':
      return `01890000-0000-7000-8000-${digits(rank * 1000 + n, 12)}`;
    case 'Int':
      return 1 + (rank % 5);
    case 'Float':
      // Fractions are not binary ones.
      return facts?.scale === 0 ? 1 + (rank % 5) : Number(`${1 + (rank % 5)}.${digits(7 * (1 + (rank % 5)), 2)}`);
    case 'Boolean':
      return lenient[name] ?? n % 2 === 0;
    case 'Date':
      return day;
    case 'DateTime':
      return `${day}T08:00:00.000Z`;
    default:
      if (facts?.type === storedTypes['Bytes']) return randomBytes(32);
      // A type that is not known here has one value.
      if (type.name !== 'String') return typeOfScalar(type.name)?.example;
      return text(name, `${digits(rank)} ${digits(n)}`);
  }
}

function text(name: string, number: string): string {
  if (/email/i.test(name)) return `${number.replace(' ', '.')}@example.com`;
  // Two types can have one model, whose external ids are unique.
  if (name === 'externalId') return randomUUID();
  if (/url$/i.test(name)) return `https://example.com/${number.replace(' ', '/')}`;
  if (/^color$/i.test(name)) return `#${number.replace(' ', '')}`;
  if (/ip_?address/i.test(name)) return `10.0.${number.replace(' ', '.')}`.replace(/\.0+(?=\d)/g, '.');
  return `${name} ${number}`;
}

/** Fields of a new row that rules require. */
export const alsoNeeded: Record<string, readonly string[]> = {
  // A person has one open record, a scan event requires a number, a checklist has one completion a day, an
  // acknowledgment requires its document, and a transfer a destination.
  TimeClockRecord: ['clockOutTime'],
  ScanEvent: ['barcode'],
  ChecklistCompletion: ['completionDate'],
  HrAcknowledgment: ['documentId'],
  AssetTransfer: ['toLocation'],
};
