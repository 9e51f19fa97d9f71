import { type GraphQLLeafType, isEnumType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { readNumber } from '../json.ts';
import { readLeaf } from './leaves.ts';

/** A scalar, an enum value or a variable in the text of a query. */
export class Literal {
  constructor(readonly node: ValueNode) {}

  /** Whether it is a variable, whose value is checked where the variable is defined. */
  get isVariable(): boolean {
    return this.node.kind === Kind.VARIABLE;
  }
}

/** The value of a part of a query, for `readInput`: like JSON, but with literals in place of strings and numbers. */
export function literalOf(node: ValueNode): unknown {
  if (node.kind === Kind.NULL) return null;
  if (node.kind === Kind.LIST) return node.values.map(literalOf);
  if (node.kind === Kind.OBJECT)
    return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, literalOf(value)]));
  return new Literal(node);
}

/** Checks a literal as `readLeaf` does, and its notation. @throws ServiceError BAD_REQUEST */
export const readLiteral = (type: GraphQLLeafType, { node }: Literal, isId: (value: unknown) => boolean): unknown =>
  readLeaf(type, jsonOf(type, node), 'json', isId);

/** The value in JSON that a literal stands for; undefined where the type does not allow the notation. */
function jsonOf(type: GraphQLLeafType, node: ValueNode): unknown {
  if (node.kind === Kind.ENUM) return isEnumType(type) ? node.value : undefined;
  // In a query, unlike in JSON, 1.0 is not a whole number.
  const isWrong = isEnumType(type) || (node.kind === Kind.FLOAT && type.name !== 'Float');
  if (isWrong) return undefined;
  return node.kind === Kind.FLOAT || node.kind === Kind.INT ? readNumber(node.value) : valueFromASTUntyped(node);
}
