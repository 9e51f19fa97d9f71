import { GraphQLError, getArgumentValues, getOperationAST, getVariableValues, isObjectType, Kind } from 'graphql';
import type { Context } from '../context.ts';
import { type JsonRow, maxMembers } from '../database/read/json.ts';
import { columnMember } from '../resource/index.ts';
import { describeColumnFields } from './column-fields.ts';
import { type ListPosition, toRestError } from './envelope.ts';
import type { RestOperation } from './operations.ts';
import type { Values } from './parameters.ts';

/** A page of a list whose rows are JSON already. */
export interface JsonList extends ListPosition {
  readonly rows: readonly string[];
}

/** Reads a page of a list. @throws the error that its execution would have, in REST's names */
type ReadJsonList = (variables: Values, context: Context) => Promise<JsonList>;

/**
 * Creates the function that reads a list without executing its document: graphql-js reads the arguments, and PostgreSQL
 * writes the rows as JSON.
 *
 * @returns nothing for a list whose rows show more than columns
 */
export function createJsonListReader({ schema, field, route, document }: RestOperation): ReadJsonList | undefined {
  const { readPage } = field.extensions;
  const json = jsonRowOf({ schema, route });
  const operation = getOperationAST(document);
  const root = operation?.selectionSet.selections[0];
  if (!readPage || !json || root?.kind !== Kind.FIELD) return undefined;
  const has = (name: string) => ['nodes', 'totalCount', 'pageInfo'].includes(name);
  return async (variables, context) => {
    const { coerced, errors } = getVariableValues(schema, operation?.variableDefinitions ?? [], variables);
    try {
      if (!coerced) throw errors[0] ?? new GraphQLError('The variables are invalid.');
      const args = getArgumentValues(field, root, coerced);
      const page = await readPage(args, context, { rows: (select) => ({ select, json }), has });
      const { rows, cursor, hasNextPage } = page;
      const last = rows.at(-1);
      return {
        rows: rows.map((row) => String(row['json'])),
        totalCount: await page.total(),
        pageInfo: { hasNextPage, endCursor: hasNextPage && last ? cursor(last) : null },
      };
    } catch (error) {
      throw toRestError(error, field);
    }
  };
}

/** The JSON of a list's rows, if they show nothing but columns that every caller of the list may read. */
function jsonRowOf({ schema, route }: Pick<RestOperation, 'schema' | 'route'>): JsonRow | undefined {
  const type = schema.getType(route.operation.type);
  if (!isObjectType(type)) return undefined;
  const { pothosPrismaModel: model } = type.extensions;
  if (!model) return undefined;
  const members = describeColumnFields(schema, type.name, (field) => columnMember(model, field, field.name, 'mapped'));
  return members && members.length <= maxMembers ? members : undefined;
}
