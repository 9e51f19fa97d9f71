import { Prisma } from '../../database/generated/client/client.ts';
import { type FieldErrors, validationError } from '../../errors.ts';
import type { Row } from '../../resource/lists.ts';
import { columnFacts } from '../../resource/model.ts';

/** What a requisition and a purchase order say of their cost. */
interface Costing {
  readonly totalAmount?: Prisma.Decimal | null;
  readonly lineItems?: readonly Row[];
}

/** A number of a body, which is a plain one, or of a row. */
const exact = (value: unknown): Prisma.Decimal | null =>
  typeof value === 'number' || Prisma.Decimal.isDecimal(value) ? new Prisma.Decimal(value) : null;

const { precision = 0, scale = 0 } = columnFacts('PurchaseOrder', 'totalAmount');
const most = 10 ** (precision - scale);

/**
 * What lines cost together, to the places that a total has. Twenty digits, which is what a Decimal calculates with,
 * hold any product or sum that is not too large for a total.
 * @returns null when no line has both a quantity and a price; `whole` tells whether all have
 */
function costOf(lines: readonly Row[]): { sum: Prisma.Decimal | null; whole: boolean } {
  const costs = lines.map((line) => {
    const [quantity, price] = [exact(line['quantity']), exact(line['unitPrice'])];
    return quantity && price && quantity.times(price);
  });
  const known = costs.filter((cost) => cost !== null);
  const sum = known.length > 0 ? Prisma.Decimal.sum(...known).toDecimalPlaces(scale) : null;
  return { sum, whole: lines.length > 0 && known.length === lines.length };
}

/** The total to store: the sum of the lines unless given; a given one must be that sum, where every line has its price. */
function readTotal(given: unknown, lines: readonly Row[]): { total: Prisma.Decimal | null; fault?: string } {
  const { sum, whole } = costOf(lines);
  const total = exact(given) ?? sum;
  if (sum?.gte(most)) return { total, fault: `would be ${sum.toFixed()} by its lines, and must be less than ${most}` };
  return whole && sum && !total?.equals(sum)
    ? { total, fault: `differs from the sum of the lines, ${sum.toNumber()}` }
    : { total };
}

/** Finds what is wrong with a body that has lines and a total, with all else that is wrong with it. */
export function inspectTotal({ totalAmount, lineItems }: Costing, faults: FieldErrors): void {
  const unreadable = Object.keys(faults).some((name) => /^(totalAmount|lineItems)\b/.test(name));
  const { fault } = readTotal(totalAmount, lineItems ?? []);
  if (fault && !unreadable) faults['totalAmount'] = fault;
}

/**
 * A body with the total that it comes to (spec §2, Procurement).
 * @param stored reads the lines that the row has, for a body without lines
 * @throws ServiceError VALIDATION_ERROR when a given total is another
 */
export async function withTotal<Data extends Costing>(
  data: Data,
  stored: () => Promise<readonly Row[]> = async () => [],
): Promise<Data> {
  const { totalAmount, lineItems } = data;
  if (totalAmount === undefined && !lineItems) return data;
  const { total, fault } = readTotal(totalAmount, lineItems ?? (await stored()));
  if (fault) throw validationError({ totalAmount: fault });
  return { ...data, totalAmount: total };
}
