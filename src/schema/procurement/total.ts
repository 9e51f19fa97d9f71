import { Prisma } from '../../database/generated/client/client.ts';
import type { FieldErrors } from '../../errors.ts';
import { columnFacts, type Row } from '../../resource/index.ts';

/** What a requisition and a purchase order say of their cost. */
interface Costing {
  readonly totalAmount?: Prisma.Decimal | null;
  readonly lineItems?: readonly Row[];
}

const { precision = 0, scale = 0 } = columnFacts('PurchaseOrder', 'totalAmount');
/** What a total must be less than. */
const limit = 10 ** (precision - scale);

const decimal = (value: unknown): Prisma.Decimal | null => (Prisma.Decimal.isDecimal(value) ? value : null);

/**
 * What line items cost together, to the places that a total has. Twenty digits, which is what a Decimal calculates with,
 * hold any product or sum that is not too large for a total.
 * @returns `sum` is null when no line has both a quantity and a price; `complete` tells whether all have
 */
function costOf(lines: readonly Row[]): { sum: Prisma.Decimal | null; complete: boolean } {
  const costs = lines.map((line) => {
    const [quantity, price] = [decimal(line['quantity']), decimal(line['unitPrice'])];
    return quantity && price && quantity.times(price);
  });
  const known = costs.filter((cost) => cost !== null);
  const sum = known.length > 0 ? Prisma.Decimal.sum(...known).toDecimalPlaces(scale) : null;
  return { sum, complete: lines.length > 0 && known.length === lines.length };
}

/** Whether a write says anything of what it costs. */
const isCosted = ({ totalAmount, lineItems }: Costing) => totalAmount !== undefined || lineItems !== undefined;

/**
 * Finds what is wrong with a total: a given one must be the sum of the line items, where each of them has its price.
 * @param stored reads the line items that the row has, for a write without line items
 * @param errors what is wrong with the write already: of a total or lines that could not be read nothing more is said
 */
export async function validateTotal(
  data: Costing,
  stored: () => Promise<readonly Row[]>,
  errors: FieldErrors,
): Promise<FieldErrors> {
  if (!isCosted(data) || Object.keys(errors).some((name) => /^(totalAmount|lineItems)\b/.test(name))) return {};
  const { sum, complete } = costOf(data.lineItems ?? (await stored()));
  if (sum?.gte(limit)) return { totalAmount: `would be ${sum.toFixed()} by its lines, and must be less than ${limit}` };
  const total = data.totalAmount ?? sum;
  return complete && sum && !total?.equals(sum)
    ? { totalAmount: `differs from the sum of the lines, ${sum.toNumber()}` }
    : {};
}

/** What is stored of a write that says what it costs: the total is the sum of the line items unless given. */
export async function resolveTotal<Data extends Costing>(
  data: Data,
  stored: () => Promise<readonly Row[]>,
): Promise<Data> {
  if (!isCosted(data)) return data;
  const totalAmount = data.totalAmount ?? costOf(data.lineItems ?? (await stored())).sum;
  return { ...data, totalAmount };
}
