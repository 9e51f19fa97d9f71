import { Prisma, type RequisitionLine } from '../../database/generated/client/client.ts';
import type { FieldErrors } from '../../errors.ts';
import { column } from '../../resource/index.ts';

/** A line item, as far as its cost. */
type Line = Partial<Pick<RequisitionLine, 'quantity' | 'unitPrice'>>;

/** A line item, as far as its quantity. */
type Counted = Partial<Pick<RequisitionLine, 'itemId' | 'quantity'>>;

/** The cost of a requisition or purchase order. */
interface Costing {
  readonly totalAmount?: Prisma.Decimal | null;
  readonly lineItems?: readonly Line[];
}

const { precision = 0, scale = 0 } = column('PurchaseOrder', 'totalAmount');
/** Exclusive maximum of a total. */
const limit = 10 ** (precision - scale);

/**
 * Sums up line items, rounded to the decimals of a total. Decimal calculates with twenty digits, which is exact for
 * every valid total.
 * @returns `sum` is null when no line has both a quantity and a price; `complete` is true if all have
 */
function costOf(lines: readonly Line[]): { sum: Prisma.Decimal | null; complete: boolean } {
  const known = lines.flatMap(({ quantity, unitPrice }) => (quantity && unitPrice ? quantity.times(unitPrice) : []));
  const sum = known.length > 0 ? Prisma.Decimal.sum(...known).toDecimalPlaces(scale) : null;
  return { sum, complete: lines.length > 0 && known.length === lines.length };
}

/** Whether a write sets the total or the line items. */
const isCosted = ({ totalAmount, lineItems }: Costing) => totalAmount !== undefined || lineItems !== undefined;

const wholeNumber = 'must be a whole number, as it is of an inventory item';

/** Finds the lines with a quantity of 0, and those of a stock item, which is counted in whole ones, with a fraction. */
function findWrongQuantities(lineItems: readonly Counted[] = []): FieldErrors {
  const errors: FieldErrors = {};
  for (const [n, { itemId, quantity }] of lineItems.entries()) {
    const isFraction = itemId != null && quantity?.isInteger() === false;
    const problem = quantity?.isZero() ? 'must be over 0' : isFraction ? wholeNumber : undefined;
    if (problem !== undefined) errors[`lineItems.${n}.quantity`] = problem;
  }
  return errors;
}

/**
 * Validates the line items of a requisition or order, and its total; see `validateTotal`.
 */
export async function validateCosting(
  data: Costing & { readonly lineItems?: readonly Counted[] },
  stored: () => Promise<readonly Line[]>,
  errors: FieldErrors,
  mayRead: boolean,
): Promise<FieldErrors> {
  const wrong = findWrongQuantities(data.lineItems);
  return { ...wrong, ...(await validateTotal(data, stored, { ...errors, ...wrong }, mayRead)) };
}

/**
 * Validates a total: it must be the sum of the line items, if each of them has a price.
 * @param stored reads the row's line items, for a write without line items
 * @param errors the errors found so far: an invalid total or line item is not checked further
 * @param mayRead whether the caller may read stored lines, and so learn their sum
 */
export async function validateTotal(
  data: Costing,
  stored: () => Promise<readonly Line[]>,
  errors: FieldErrors,
  mayRead: boolean,
): Promise<FieldErrors> {
  if (!isCosted(data) || Object.keys(errors).some((name) => /^(totalAmount|lineItems)\b/.test(name))) return {};
  const { sum, complete } = costOf(data.lineItems ?? (await stored()));
  if (sum?.gte(limit))
    return { totalAmount: `would be ${sum.toFixed()}, the sum of the lines, and must be less than ${limit}` };
  const total = data.totalAmount ?? sum;
  if (!complete || !sum || total?.equals(sum)) return {};
  const isKnown = data.lineItems !== undefined || mayRead;
  return { totalAmount: `differs from the sum of the lines${isKnown ? `, ${sum.toFixed()}` : ''}` };
}

/**
 * Sets the total to the sum of the line items, unless it is given.
 * @param stored reads the row's line items, for a write without line items; a new row has none
 */
export async function resolveTotal<Data extends Costing>(
  data: Data,
  stored: () => Promise<readonly Line[]> = async () => [],
): Promise<Data> {
  if (!isCosted(data)) return data;
  const totalAmount = data.totalAmount ?? costOf(data.lineItems ?? (await stored())).sum;
  return { ...data, totalAmount };
}
