// Reads what a plan says: as the JSON that PostgreSQL writes, or as rows.
import {
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  getOperationAST,
  getVariableValues,
  locatedError,
} from 'graphql';
import { permits } from '../../auth/access.ts';
import { roleOf } from '../../auth/roles.ts';
import type { Context } from '../../context.ts';
import type { JsonPage, JsonRow } from '../../database/read/json.ts';
import { ServiceError } from '../../errors.ts';
import { JsonText } from '../../http/json-text.ts';
import { parseShown } from '../../json.ts';
import { findRefusal } from '../access/decide.ts';
import { hiddenColumns } from '../access/hidden-columns.ts';
import type { Row } from '../definition/model.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { ListArguments, Page } from './lists.ts';
import { jsonOf, type KeyedName, type PageMember, type ReadPlan, showRow } from './plan.ts';
import type { OperationPlan, Planner } from './planner.ts';
import { yieldBetweenRows } from './turns.ts';

/** A plan with all that one request adds, so that nothing of it can be refused any more. */
export interface PreparedRead {
  readonly plan: ReadPlan;
  readonly given: Row;
  /** The JSON of each row; undefined where rows are only counted. */
  readonly json: JsonRow | undefined;
  /** The pages of the lists in it. */
  readonly pages: readonly JsonPage[];
  /** Whether rows are sent as PostgreSQL writes them. */
  readonly isPlain: boolean;
  readonly context: Context;
}

/**
 * Decides, before anything is read, what depends on the caller and the arguments.
 *
 * @returns undefined where graphql-js executes the operation: it reports what is refused, where it belongs
 */
export function prepare(plan: ReadPlan, variables: Readonly<Row>, context: Context): PreparedRead | undefined {
  const { caller } = context;
  if (findRefusal(caller, plan.read)) return undefined;
  if (!plan.accesses.every((access) => permits(caller, access))) return undefined;
  const pages = pagesOf(plan, variables, context);
  if (!pages) return undefined;
  const isWhole = plan.policies.every((policies) => hiddenColumns(caller, policies).length === 0);
  const json = plan.row && getOrCreate(jsonRows, plan.row, () => new Map<string, JsonRow>());
  return {
    plan,
    given: plan.arguments(variables),
    // Only the role decides what is hidden.
    json: json && plan.row && getOrCreate(json, isWhole ? '' : roleOf(caller), () => jsonOf(plan.row ?? [], caller)),
    pages,
    isPlain: plan.isPlain && isWhole,
    context,
  };
}

/** The JSON of each plan's rows, by the role from which it hides something. */
const jsonRows = new WeakMap<object, Map<string, JsonRow>>();

/** The pages of the lists inside rows; undefined where the arguments of one are wrong, or it begins at its end. */
function pagesOf({ lists }: ReadPlan, variables: Readonly<Row>, context: Context): JsonPage[] | undefined {
  const pages: JsonPage[] = [];
  for (const list of lists) {
    // Lists have these arguments.
    const given = list.arguments(variables) as ListArguments;
    // Rows from the end are read in the opposite order.
    if (given.last != null) return undefined;
    try {
      const { query, counted } = list.listed.read(given, context);
      const { where, as, orderBy, take = 1, skip } = query;
      const isLater = Boolean(skip) || given.after != null || given.before != null;
      // One more row than the page would show only whether another page follows.
      pages.push({ args: { where, as, orderBy, take: take - 1, skip }, counted, isLater });
    } catch (error) {
      // An error in the arguments of an inner list belongs to its field.
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }
  return pages;
}

/** What is read of a page: the JSON of each row, and the page's own fields. */
export interface ReadRows {
  readonly texts: readonly string[];
  readonly page: Page;
}

/** Reads a page. @throws ServiceError as its root field does */
export async function readRows({ plan, given, json, pages, context }: PreparedRead): Promise<ReadRows> {
  const { source } = plan.read;
  if (!('page' in source)) throw new Error(`${plan.key} is no list.`);
  const names = new Set<string>(plan.page?.map(({ name }) => name));
  const page = await source.page(given, context, {
    rows: (select) => ({ select, json, pages, plan: json ?? plan }),
    has: (name) => names.has(name),
  });
  return { texts: json ? page.rows.map((row) => String(row['json'])) : [], page };
}

/** The rows of JSON that PostgreSQL wrote. Other requests have their turn before many. */
export const parseRows = async (texts: readonly string[]): Promise<Row[]> =>
  (await yieldBetweenRows(texts.length, texts)).map((text) => parseShown(text) as Row);

/**
 * Reads a row without PostgreSQL's JSON, of a plan that has only its columns and items.
 *
 * @returns also its ETag
 * @throws ServiceError NOT_FOUND
 */
export async function readWholeRow({ plan, given, context }: PreparedRead): Promise<{ row: Row; etag: string }> {
  const { source } = plan.read;
  if (!('row' in source)) throw new Error(`${plan.key} is no row.`);
  const { whole, etagOf } = source;
  const found = await source.row(given, context, { ...whole, plan: whole.select });
  return { row: showRow(plan.row ?? [], found, context.caller), etag: etagOf(found, context) };
}

/** Reads a row as its plan shows it. @throws ServiceError NOT_FOUND */
export async function readRow({ plan, given, json, pages, context }: PreparedRead): Promise<unknown> {
  const { source } = plan.read;
  if (!('row' in source)) throw new Error(`${plan.key} is no row.`);
  const row = await source.row(given, context, { select: { id: true }, json, pages, plan: json });
  return parseShown(String(row['json']));
}

/**
 * Executes an operation by its plan.
 *
 * @param takesText whether the data of the result may be a `JsonText`
 * @returns undefined where graphql-js must execute it
 */
export function executePlanned(
  planner: Planner,
  { schema, document, operationName, variableValues, contextValue }: ExecutionArgs,
  takesText: boolean,
): Promise<ExecutionResult> | undefined {
  const operation = getOperationAST(document, operationName);
  if (!operation || schema !== planner.schema) return undefined;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], { ...variableValues });
  if (!coerced) return undefined;
  const plans = planner.planOf(document, operation, coerced);
  // This service creates every context.
  const prepared = plans && prepareAll(plans, coerced, contextValue as Context);
  return prepared && readAll(prepared, takesText);
}

function prepareAll(plans: OperationPlan, variables: Readonly<Row>, context: Context): PreparedRead[] | undefined {
  const prepared: PreparedRead[] = [];
  for (const plan of plans) {
    const each = prepare(plan, variables, context);
    if (!each) return undefined;
    prepared.push(each);
  }
  return prepared;
}

/** Reads all root fields. A failure is the error of its field. */
async function readAll(prepared: readonly PreparedRead[], takesText: boolean): Promise<ExecutionResult> {
  const errors: GraphQLError[] = [];
  const fields = await Promise.all(
    prepared.map(async (each): Promise<[key: string, value: unknown]> => {
      const { key, nodes, page } = each.plan;
      try {
        return [key, page ? await showPage(each, page, takesText && each.isPlain) : await readRow(each)];
      } catch (error) {
        errors.push(locatedError(error, nodes, [key]));
        return [key, null];
      }
    }),
  );
  const [[key, value] = []] = fields;
  // ExecutionResult has no type for data that is text.
  if (value instanceof JsonText) return { data: new JsonText(`{"${key}":${value.text}}`) as object as Row };
  const data = Object.fromEntries(fields);
  if (errors.length === 0) return { data };
  // graphql-js begins with the errors; responses of plain lists never did.
  return takesText && prepared.every(({ isPlain }) => isPlain) ? { data, errors } : { errors, data };
}

/** The selected fields of a page: as text, where its rows stay as they are. */
async function showPage(prepared: PreparedRead, members: readonly PageMember[], asText: boolean): Promise<unknown> {
  const { texts, page } = await readRows(prepared);
  const rows = asText ? [] : await parseRows(texts);
  const shown = await Promise.all(
    members.map(async (member): Promise<[key: string, value: unknown]> => {
      if (asText && member.name === 'nodes') return [member.key, new JsonText(`[${texts.join(',')}]`)];
      return [member.key, await memberOf(member, page, rows)];
    }),
  );
  if (!asText) return Object.fromEntries(shown);
  const fields = shown.map(
    ([key, value]) => `"${key}":${value instanceof JsonText ? value.text : JSON.stringify(value)}`,
  );
  return new JsonText(`{${fields.join(',')}}`);
}

/** A field of a page besides its rows. @param shown the rows as clients get them */
function memberOf(member: PageMember, page: Page, shown: readonly Row[]): unknown {
  const { rows, cursor, hasNextPage, hasPreviousPage } = page;
  const cursorOf = (row: Row | undefined) => (row ? cursor(row) : null);
  if (member.name === '__typename') return member.text;
  if (member.name === 'nodes') return shown;
  if (member.name === 'totalCount') return page.total();
  if (member.name === 'edges')
    return rows.map((row, n) =>
      valuesOf(member.members, { __typename: () => member.text, cursor: () => cursor(row), node: () => shown[n] }),
    );
  if (member.name === 'matches') return matchesOf(member.members, page);
  return valuesOf(member.members, {
    __typename: () => 'PageInfo',
    hasNextPage: () => hasNextPage,
    hasPreviousPage: () => hasPreviousPage,
    startCursor: () => cursorOf(rows[0]),
    endCursor: () => cursorOf(rows.at(-1)),
  });
}

async function matchesOf(members: readonly KeyedName[], { matches }: Page): Promise<Row[] | null> {
  const found = await matches?.();
  if (!found) return null;
  return found.map(({ id, page, text }) =>
    valuesOf(members, { __typename: () => 'SearchMatch', id: () => id, page: () => page, text: () => text }),
  );
}

const valuesOf = (
  members: readonly { readonly key: string; readonly name: string }[],
  values: Readonly<Record<string, () => unknown>>,
): Row => Object.fromEntries(members.map(({ key, name }) => [key, values[name]?.()]));
