import { execute } from 'graphql';
import type { Context } from '../../context.ts';
import type { Database } from '../../database/index.ts';
import { assertAvailable } from '../../errors.ts';
import { readChange } from '../../events/log.ts';
import { stringifyJson } from '../../json.ts';
import { kebabCase, rowAddress, snakeCase } from '../../names.ts';
import { type Api, executePlanned, type Planner } from '../../resource/index.ts';
import { ChangeView, type LoggedType, type VisibleChange } from '../../schema/changes/change-view.ts';
import { compileFilter } from '../../schema/webhooks/filter.ts';
import { readSelection, selectColumns } from '../../schema/webhooks/selection.ts';
import { ownerContext } from '../owner.ts';
import type { Delivery } from './deliveries.ts';

/** What messages are made with. */
export interface MessageDependencies {
  readonly database: Database;
  readonly api: Pick<Api, 'schema' | 'resources' | 'filterableOf' | 'storage' | 'reads' | 'collections'>;
  /** Address of the service, without a slash at its end. */
  readonly publicUrl: string;
}

/** The types whose changes a webhook is sent; all of them if it names none. */
export const typesOf = (
  { resources }: { readonly resources: readonly string[] },
  types: readonly LoggedType[],
): readonly LoggedType[] => (resources.length === 0 ? types : types.filter(({ type }) => resources.includes(type)));

/** What happened, as receivers see it. */
export const eventOf = ({ rowType, action }: Pick<VisibleChange, 'rowType' | 'action'>): string =>
  `${rowType.name.toLowerCase()}.${action}`;

/**
 * Creates the body of a message from what the owner may read now.
 *
 * @param planner makes the plans of selections, in the schema of the API
 * @returns JSON; undefined if the owner may read nothing of it, or the log no longer has it
 */
export async function bodyOf(
  { database, api, publicUrl }: MessageDependencies,
  delivery: Delivery,
  types: readonly LoggedType[],
  planner: Planner,
): Promise<string | undefined> {
  const { companyId, companySlug, event, createdAt, selection, filter } = delivery;
  if (delivery.rowId === null)
    return JSON.stringify({ type: event, timestamp: createdAt.toISOString(), data: { webhook: delivery.name } });
  const found = await readChange(database.prisma, { companyId }, delivery);
  const context = ownerContext(database, api, delivery, delivery.id);
  const [change] = await new ChangeView(typesOf(delivery, types), context).projectAll(found ? [found] : []);
  if (!change) return undefined;
  // The filter was applied when the log was read; the owner must still be allowed to use it.
  if (filter !== null && 'problem' in compileFilter(filter, change.rowType, api.schema, api, context)) return undefined;
  const row = selection === null ? undefined : await readRow(planner, change, selection, context);
  const { at, seq, rowType, rowId, action, fields, before, after, actor } = change;
  const page = rowType.field === undefined ? undefined : kebabCase(rowType.field);
  const hasPage = page !== undefined && api.collections.has(page);
  const data = {
    version: seq,
    resource: rowType.name.toLowerCase(),
    row_id: rowId,
    url: action === 'delete' || !hasPage ? null : `${publicUrl}${rowAddress(companySlug, page, rowId)}`,
    action,
    fields: fields.map(snakeCase),
    // A selection determines which fields of the row are sent.
    ...(row === undefined ? { before: before?.inRest() ?? null, after: after?.inRest() ?? null } : { row }),
    actor: actor && { kind: actor.kind, user_id: actor.user_id ?? null },
  };
  return stringifyJson({ type: event, timestamp: at.toISOString(), data });
}

/**
 * Reads the selected fields of a row as it is now; null if it is gone or no longer visible. Of a deleted row it returns
 * the columns as they were.
 *
 * @throws ServiceError SERVICE_UNAVAILABLE
 */
async function readRow(
  planner: Planner,
  { rowType, rowId, action, before }: VisibleChange,
  selection: string,
  contextValue: Context,
): Promise<unknown> {
  const { schema } = planner;
  const read = readSelection(selection, rowType, schema);
  if ('problem' in read) return null;
  if (action === 'delete') return selectColumns(read.document, before?.inGraphql() ?? {});
  const operation = { schema, document: read.document, variableValues: { id: rowId }, contextValue };
  const result = await (executePlanned(planner, operation, false) ?? execute(operation));
  // A missing row would look like a deleted one.
  assertAvailable(result);
  // The document selects them under this name.
  const rows = result.data?.['rows'] as { readonly nodes: readonly unknown[] } | null | undefined;
  return rows?.nodes[0] ?? null;
}
