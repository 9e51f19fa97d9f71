import {
  type ConstValueNode,
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  parse,
  parseConstValue,
  validate,
} from 'graphql';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { type Api, type Filter, type Filterable, filterWhere, type Where } from '../../resource/index.ts';
import type { LoggedType } from '../changes/change-view.ts';
import { readOnce } from './read-once.ts';

/** The most characters and tokens of a filter. */
export const maxFilterLength = 4000;
const maxTokens = 1000;

/** What a filter is compiled with. */
type FilterApi = Pick<Api, 'resources' | 'filterableOf'>;

/** Which rows a webhook is sent. */
export interface RowFilter {
  readonly rows: Filterable;
  /** The condition: words such as `today` refer to the day on which it is asked for. */
  readonly where: () => Where;
}

/**
 * Compiles which rows a webhook is sent: the filter of their list in GraphQL.
 *
 * @param text such as `{ status: { eq: PENDING } }`
 * @param context that of the owner, who needs the read scopes of related rows that the filter is about
 * @returns the filter, or what is wrong with it
 */
export function compileFilter(
  text: string,
  rowType: LoggedType,
  schema: GraphQLSchema,
  api: FilterApi,
  context: Context,
): { readonly filter: RowFilter } | { readonly problem: string } {
  const read = readFilter(text, rowType, schema);
  if ('problem' in read) return read;
  const resource = api.resources.find(({ type }) => type === rowType.type);
  if (!resource) return { problem: 'is not supported for this resource' };
  const rows: Filterable = api.filterableOf(resource);
  try {
    const where = () => filterWhere(rows, read.filter, context);
    where();
    return { filter: { rows, where } };
  } catch (error) {
    if (error instanceof ServiceError) return { problem: error.message };
    throw error;
  }
}

/** Reads a filter. @returns the filter, or the problem with it */
const readFilter = readOnce(parseFilter);

function parseFilter(
  text: string,
  { type, field }: LoggedType,
  schema: GraphQLSchema,
): { readonly filter: Filter } | { readonly problem: string } {
  const list = field === undefined ? undefined : schema.getQueryType()?.getFields()[field];
  const argument = list?.args.find(({ name }) => name === 'filter');
  if (!list || !argument || getNamedType(argument.type).name !== `${type}Filter`)
    return { problem: 'is not supported for this resource' };
  if (text.length > maxFilterLength) return { problem: `must be at most ${maxFilterLength} characters` };
  let value: ConstValueNode;
  try {
    value = parseConstValue(text, { maxTokens, noLocation: true });
  } catch (error) {
    // The parser throws only GraphQLErrors.
    return { problem: `is not a valid filter: ${(error as Error).message}` };
  }
  if (value.kind !== Kind.OBJECT) return { problem: 'must be conditions in braces, such as { id: { isNull: false } }' };
  // One value without variables, so that it cannot be more than the argument.
  const document = parse(`{ ${field}(filter: ${text}\n) { totalCount } }`, { noLocation: true });
  const [invalid] = validate(schema, document);
  if (invalid) return { problem: invalid.message };
  // As the text of the document has it, which is valid.
  const [selected] = (document.definitions[0] as OperationDefinitionNode).selectionSet.selections;
  // Of the type that was compared by name above.
  return { filter: getArgumentValues(list, selected as FieldNode)['filter'] as Filter };
}
