import { accessError, permits } from '../../auth/access.ts';
import type { ScopeGroup } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { TableName } from '../../database/tables.ts';
import type { LoggedChange, StoredRow } from '../../events/log.ts';
import { constantCase, lowerFirst, plural } from '../../names.ts';
import {
  databaseName,
  type ModelName,
  modelFacts,
  type Resource,
  type Row,
  RowImage,
  type ShownColumns,
  type Where,
} from '../../resource/index.ts';

/** A type whose changes clients can read. */
export interface LoggedType extends ShownColumns {
  /** Its GraphQL type. */
  readonly type: string;
  /** The value of the enum of resources. */
  readonly name: string;
  /** The root field that lists or reads its rows, if there is one. */
  readonly field?: string;
  readonly table: TableName;
  readonly scope: ScopeGroup;
  readonly accessFilter?: (context: Context) => Where;
}

/** A change as one caller may see it. */
export interface VisibleChange extends Omit<LoggedChange, 'before' | 'after' | 'table'> {
  readonly rowType: LoggedType;
  readonly before: RowImage | null;
  readonly after: RowImage | null;
}

/** A row as one caller may see it. */
export interface VisibleRow {
  readonly rowType: LoggedType;
  readonly image: RowImage;
}

/**
 * The types whose changes clients can read: those of the resources, and of the line items that belong to their rows.
 */
export const loggedTypes = (resources: readonly Resource[]): LoggedType[] =>
  resources.flatMap((resource) => [loggedType(resource), ...lineItemsOf(resource).map(({ rowType }) => rowType)]);

/** The type of a resource's rows. */
export const loggedType = ({ type, isSingleton, model, columns, scope, accessFilter }: Resource): LoggedType => ({
  type,
  name: nameOf(isSingleton ? type : plural(type)),
  field: lowerFirst(isSingleton ? type : plural(type)),
  table: modelFacts(model).table,
  model,
  columns,
  scope,
  accessFilter,
});

/** Line items of a resource. */
export interface LineItems {
  readonly rowType: LoggedType;
  /** The field of the row that has them. */
  readonly relation: string;
  /** Their column that refers to the row. */
  readonly column: string;
}

/** The line items that belong to a resource's rows. */
export const lineItemsOf = (resource: Resource): LineItems[] =>
  Object.entries(resource.nestedItems).flatMap(([relation, columns]) => {
    const { model, column } = modelFacts(resource.model).lists[relation] ?? {};
    if (!model || !column) return [];
    const { table } = modelFacts(model);
    const rowType = {
      type: model,
      name: nameOf(plural(model)),
      table,
      model,
      columns: ['id', column, ...columns],
      scope: resource.scope,
    };
    return [{ rowType, relation, column }];
  });

/** `HrDocuments` → `HR_DOCUMENTS`. */
const nameOf = (type: string) => constantCase(lowerFirst(type));

/**
 * Chooses types by their names; all types by default.
 *
 * @throws ServiceError INSUFFICIENT_SCOPE for one that the caller may not read
 */
export function chooseTypes(
  types: readonly LoggedType[],
  names: readonly string[] | null | undefined,
  { caller }: Context,
): readonly LoggedType[] {
  if (!names) return types;
  const chosen = types.filter(({ type }) => names.includes(type));
  for (const { scope } of chosen) if (!permits(caller, `${scope}:read`)) throw accessError(caller, `${scope}:read`);
  return chosen;
}

/** Projects changes of these types to what the caller of a request may read. */
export class ChangeView {
  private readonly readable: ReadonlyMap<
    TableName,
    readonly { rowType: LoggedType; isVisible: (row: Row) => boolean }[]
  >;

  constructor(types: readonly LoggedType[], context: Context) {
    const readable = new Map<TableName, { rowType: LoggedType; isVisible: (row: Row) => boolean }[]>();
    for (const rowType of types) {
      if (!permits(context.caller, `${rowType.scope}:read`)) continue;
      const where = rowType.accessFilter?.(context) ?? {};
      readable.set(rowType.table, [
        ...(readable.get(rowType.table) ?? []),
        { rowType, isVisible: (row) => matches(where, row) },
      ]);
    }
    this.readable = readable;
  }

  /** The tables of the types. */
  get tables(): TableName[] {
    return [...this.readable.keys()];
  }

  /**
   * The part of a change that the caller may see: a row that is no longer visible to them counts as deleted, and one
   * that becomes visible as new. Undefined if they may see nothing.
   */
  project({ table, before, after, ...change }: LoggedChange): VisibleChange | undefined {
    const was = this.projectRow(table, before);
    const is = this.projectRow(table, after);
    const rowType = is?.rowType ?? was?.rowType;
    if (!rowType) return undefined;
    const isOfClock = change.action === 'due' || change.action === 'low_stock';
    const action = !is ? 'delete' : was || isOfClock ? change.action : 'create';
    const fields = action === 'update' ? fieldsOf(rowType, change.fields, before ?? {}, after ?? {}) : [];
    if (action === 'update' && fields.length === 0) return undefined;
    return { ...change, action, fields, rowType, before: was?.image ?? null, after: is?.image ?? null };
  }

  /** Projects changes, and leaves out those that the caller may not see. */
  projectAll = (changes: readonly LoggedChange[]): VisibleChange[] =>
    changes.map((change) => this.project(change)).filter((change) => change !== undefined);

  /** The part of a row that the caller may see; undefined if they may not see the row. */
  projectRow(table: TableName, row: StoredRow | null): VisibleRow | undefined {
    if (!row) return undefined;
    const found = this.readable.get(table)?.find(({ rowType, isVisible }) => isVisible(byField(rowType.model, row)));
    return found && { rowType: found.rowType, image: new RowImage(found.rowType, row) };
  }
}

/** The API's fields among the changed columns; only the time of update if no other field changed. */
function fieldsOf({ model, columns }: LoggedType, changed: readonly string[], was: StoredRow, is: StoredRow): string[] {
  const fields = columns.filter((column) => changed.includes(databaseName(model, column)));
  const isTouched = columns.includes('updatedAt') && was['updated_at'] !== is['updated_at'];
  return fields.length === 0 && isTouched ? ['updatedAt'] : fields;
}

/** A stored row by the names of Prisma's conditions. */
const byField = (model: ModelName, row: StoredRow): Row =>
  Object.fromEntries(
    Object.keys(modelFacts(model).columns).map((column) => [column, row[databaseName(model, column)] ?? null]),
  );

/** The columns by which it is decided who sees a row. */
export const decidingColumns = ({ model, accessFilter }: LoggedType, context: Context): string[] =>
  columnsOf(accessFilter?.(context) ?? {}).map((column) => databaseName(model, column));

const columnsOf = (where: Where): string[] =>
  Object.entries(where).flatMap(([name, condition]) =>
    // Prisma's type of conditions.
    name === 'OR' || name === 'AND' ? [condition as Where | Where[]].flat().flatMap(columnsOf) : [name],
  );

/**
 * Whether a row meets a condition of its own columns, as resources have to limit who sees their rows.
 * @throws Error for a condition of another kind
 */
function matches(where: Where, row: Row): boolean {
  return Object.entries(where).every(([name, condition]) => {
    // Prisma's type of conditions.
    if (name === 'OR') return (condition as Where[]).some((each) => matches(each, row));
    if (name === 'AND') return [condition as Where | Where[]].flat().every((each) => matches(each, row));
    if (!(name in row)) throw new Error(`${name} is not a column`);
    if (typeof condition !== 'object' || condition === null) return row[name] === condition;
    const [[operator, value] = [], ...others] = Object.entries(condition);
    if (operator === 'not' && others.length === 0) return row[name] !== value;
    throw new Error(`${name}: ${JSON.stringify(condition)} cannot be checked on a row`);
  });
}
