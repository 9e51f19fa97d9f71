// The parameter `sort` with several keys: `priority,-created_at`.
import { assertLeafType, type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql';
import { badRequest, ServiceError } from '../errors.ts';
import { readLeaf } from '../input/index.ts';
import { fieldName } from './names.ts';

/** Whether a sort has several keys, a sign, or a field of a related row; otherwise it is the name of one field. */
export const isOrder = (sort: string): boolean => /[,+. -]/.test(sort);

/**
 * Reads the keys of a sort; one without a sign ascends.
 *
 * @param type the type of a key
 * @returns GraphQL's `orderBy`, in REST's values
 * @throws ServiceError BAD_REQUEST
 */
export const readOrder = (type: GraphQLInputObjectType, sort: string): object[] =>
  sort.split(',').map((key) => {
    // In a URL, a plus sign that is not encoded is read as a space.
    const [, sign, name = ''] = /^([-+ ]?)(.*)$/s.exec(key) ?? [];
    return { direction: sign === '-' ? 'desc' : 'asc', ...readKey(type, name.split('.'), name) };
  });

/** What ends a key that is computed of a list: `invoices.count`, `invoices.amount.sum`. No field has such a name. */
const figures = new Set<string | undefined>(['count', 'sum', 'avg', 'min', 'max']);

function readKey(type: GraphQLInputObjectType, [first = '', ...rest]: readonly string[], whole: string): object {
  if (rest.length === 0) return { field: readField(type, first, whole) };
  const relations = relationsOf(type);
  const relation = relations.get(first);
  if (!relation) {
    if (type.getFields()['measure'] && figures.has(rest.at(-1))) return { measure: [first, ...rest].join('.') };
    const missing = first === '' ? 'has an empty name before a dot' : `has no relation ${first.slice(0, 100)}`;
    throw badRequest(`${missing}; a relation there can be ${[...relations.keys()].join(', ') || 'none'}`);
  }
  return { [relation.name]: readKey(relation.type, rest, whole) };
}

function readField(type: GraphQLInputObjectType, name: string, whole: string): unknown {
  const leaf = assertLeafType(getNamedType(type.getFields()['field']?.type));
  try {
    return readLeaf(leaf, name, 'text', () => false);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw badRequest(`${whole === '' ? 'has an empty key, which' : whole.slice(0, 100)} ${error.reason}`);
  }
}

/** The relations that a key can cross, by REST's names. */
const relationsOf = (type: GraphQLInputObjectType) =>
  new Map(
    Object.values(type.getFields()).flatMap(({ name, type: inner }) => {
      const named = getNamedType(inner);
      return isInputObjectType(named) ? [[fieldName(name), { name, type: named }] as const] : [];
    }),
  );
