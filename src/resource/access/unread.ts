// Writes by callers who may write a resource's rows and not read them.
import { collectSubFields } from '@graphql-tools/utils';
import { type FieldNode, type GraphQLResolveInfo, getNamedType, isLeafType, isObjectType } from 'graphql';
import type { Scope } from '../../auth/scopes.ts';
import type { Role } from '../../database/stored-field.ts';
import { conflict, insufficientScope, ServiceError } from '../../errors.ts';
import type { Row } from '../definition/model.ts';

/** A write, and the read scope that its caller lacks. */
interface UnreadWrite {
  readonly missing: Scope;
  /** What people call the row. */
  readonly noun: string;
  readonly action: string;
}

/**
 * Runs a write whose caller may not read the row. Its response can have the id, the time of the update and the fields
 * that were sent; that of a deletion, the id. A conflict does not tell what the row has.
 *
 * @param args the arguments of the root field
 * @param write is not called where more is selected
 * @throws ServiceError INSUFFICIENT_SCOPE, or what `write` throws
 */
export async function writeUnread<Result>(
  { missing, noun, action }: UnreadWrite,
  args: Readonly<Row>,
  info: GraphQLResolveInfo,
  write: () => Promise<Result>,
): Promise<Result> {
  // The reader of input has checked that it is an object.
  const input = (args['input'] ?? {}) as Readonly<Row>;
  const sent = Object.keys(input).filter((name) => input[name] !== undefined);
  const isKnown: IsKnown = (name, role) =>
    role === 'key' || (action !== 'delete' && (role === 'update' || sent.includes(name)));
  if (!selectsOnly(isKnown, info)) throw insufficientScope(missing);
  try {
    return await write();
  } catch (error) {
    throw error instanceof ServiceError && error.code === 'CONFLICT' ? withoutState(error, noun) : error;
  }
}

/** Whether the caller knows a column or nested items without reading the row. */
type IsKnown = (name: string, role: Role | undefined) => boolean;

/** Whether a row's selection has nothing but some of its fields, and of nested items nothing but their columns. */
function selectsOnly(isKnown: IsKnown, info: GraphQLResolveInfo): boolean {
  const { schema, fragments, variableValues } = info;
  /** The fields that are selected of a type, each with the column or list of nested items that it shows. */
  const below = (type: unknown, nodes: readonly FieldNode[]) => {
    if (!isObjectType(type)) return [];
    const { fields } = collectSubFields(schema, fragments, variableValues, type, [...nodes]);
    return [...fields.values()].flatMap((found) => {
      const field = type.getFields()[found[0]?.name.value ?? ''];
      // The name of a type is no field of it.
      if (!field) return [];
      const { exposes, relation, stored } = field.extensions;
      return [{ shows: exposes ?? relation, role: stored?.role, nodes: found, type: getNamedType(field.type) }];
    });
  };
  return below(getNamedType(info.returnType), info.fieldNodes).every(
    ({ shows, role, type, nodes }) =>
      shows !== undefined && isKnown(shows, role) && below(type, nodes).every((inner) => isLeafType(inner.type)),
  );
}

/** The same conflict without its texts, which can quote the row. */
export const withoutState = ({ fieldErrors = {} }: ServiceError, noun: string): ServiceError =>
  conflict(
    `This conflicts with the state of the ${noun}, or of another row.`,
    Object.fromEntries(Object.keys(fieldErrors).map((name) => [name, 'conflicts with what is stored'])),
  );
