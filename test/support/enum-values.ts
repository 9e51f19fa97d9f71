// The values that a field with an enum may have in a row: those of its type, unless transitions or hooks allow fewer.
import { type GraphQLNamedType, isEnumType } from 'graphql';
import { api } from '../../src/schema/index.ts';

/** A field of the rows of a type. */
interface EnumField {
  readonly name: string;
  readonly type: GraphQLNamedType;
}

/** The initial values that hooks allow, which no definition tells: by the type of the row, and the field. */
const startsByHook: Readonly<Record<string, readonly string[]>> = {
  // Only a pending request can be created.
  'ServiceRequest.status': ['PENDING'],
  'MoveRequest.status': ['PENDING'],
  // A new item has no stock that could be removed.
  'StockAdjustment.type': ['ADDITION', 'CORRECTION'],
  // Completing a record adds goods to the stock, and then its lines cannot change.
  'ReceivingRecord.status': ['PENDING'],
  // Completing a transfer requires that the stock suffices, and then its goods cannot change.
  'InventoryTransfer.status': ['PENDING', 'IN_TRANSIT', 'CANCELLED'],
};

/** The names of an enum's values. */
export const membersOf = (type: GraphQLNamedType): readonly string[] =>
  isEnumType(type) ? type.getValues().map(({ name }) => name) : [];

const transitionsOf = (rowType: string, field: string) =>
  api.resources.find(({ type }) => type === rowType)?.fields[field]?.transitions;

/** The values that a new row may have. */
export function startsOf(rowType: string, { name, type }: EnumField): readonly string[] {
  const byHook = startsByHook[`${rowType}.${name}`];
  if (byHook) return byHook;
  const [initial] = Object.entries(transitionsOf(rowType, name) ?? {});
  return initial ? [initial[0], ...initial[1]] : membersOf(type);
}

/**
 * The values that a row may change to.
 *
 * @param from the value that it has; by default that of a new row
 */
export function successorsOf(
  rowType: string,
  { name, type }: EnumField,
  from = startsOf(rowType, { name, type })[0] ?? '',
): readonly string[] {
  const transitions = transitionsOf(rowType, name);
  if (!transitions) return membersOf(type).filter((member) => member !== from);
  const successors = transitions[from] ?? [];
  // Where possible the row can then change again.
  const passing = successors.filter((successor) => transitions[successor]?.length);
  return passing.length > 0 ? passing : successors;
}
