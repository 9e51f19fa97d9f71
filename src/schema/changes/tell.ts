import { accessError, permits } from '../../auth/access.ts';
import type { ScopeGroup } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
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

/** A type whose changes are told. */
export interface ToldType extends ShownColumns {
  /** Its GraphQL type. */
  readonly type: string;
  /** The value of the enum of resources. */
  readonly name: string;
  /** The root field that lists or reads its rows, if there is one. */
  readonly field?: string;
  readonly table: string;
  readonly scope: ScopeGroup;
  readonly filter?: (context: Context) => Where;
}

/** A change as one caller may know it. */
export interface ToldChange extends Omit<LoggedChange, 'before' | 'after' | 'table'> {
  readonly told: ToldType;
  readonly before: RowImage | null;
  readonly after: RowImage | null;
}

/** A row as one caller may know it. */
export interface ToldRow {
  readonly told: ToldType;
  readonly image: RowImage;
}

/** The types whose changes are told: those of the resources, and of the line items that belong to their rows. */
export const toldTypes = (resources: readonly Resource[]): ToldType[] =>
  resources.flatMap((resource) => [toldType(resource), ...lineItems(resource)]);

/** The type of a resource's rows. */
export const toldType = ({ type, isSingleton, graphql, model, columns, scope, filter }: Resource): ToldType => ({
  type,
  name: nameOf(isSingleton ? type : (graphql.plural ?? plural(type))),
  field: lowerFirst(isSingleton ? type : (graphql.plural ?? plural(type))),
  table: modelFacts(model).table,
  model,
  columns,
  scope,
  filter,
});

const lineItems = (resource: Resource): ToldType[] =>
  Object.entries(resource.nestedItems).flatMap(([relation, columns]) => {
    const { model, column } = modelFacts(resource.model).lists[relation] ?? {};
    if (!model || !column) return [];
    const { table } = modelFacts(model);
    return [
      {
        type: model,
        name: nameOf(plural(model)),
        table,
        model,
        columns: ['id', column, ...columns],
        scope: resource.scope,
      },
    ];
  });

/** `HrDocuments` → `HR_DOCUMENTS`. */
const nameOf = (type: string) => constantCase(lowerFirst(type));

/**
 * Chooses types by their names; all without any.
 * @throws ServiceError INSUFFICIENT_SCOPE for one that the caller may not read
 */
export function chooseTypes(
  types: readonly ToldType[],
  names: readonly string[] | null | undefined,
  { caller }: Context,
): readonly ToldType[] {
  if (!names) return types;
  const chosen = types.filter(({ type }) => names.includes(type));
  for (const { scope } of chosen) if (!permits(caller, `${scope}:read`)) throw accessError(caller, `${scope}:read`);
  return chosen;
}

/** Tells changes of these types to the caller of a request. */
export class Teller {
  private readonly readable: ReadonlyMap<string, readonly { told: ToldType; isVisible: (row: Row) => boolean }[]>;

  constructor(types: readonly ToldType[], context: Context) {
    const readable = new Map<string, { told: ToldType; isVisible: (row: Row) => boolean }[]>();
    for (const told of types) {
      if (!permits(context.caller, `${told.scope}:read`)) continue;
      const where = told.filter?.(context) ?? {};
      readable.set(told.table, [
        ...(readable.get(told.table) ?? []),
        { told, isVisible: (row) => matches(where, row) },
      ]);
    }
    this.readable = readable;
  }

  /** The tables of the types. */
  get tables(): string[] {
    return [...this.readable.keys()];
  }

  /**
   * What the caller may know of a change: a row that passes out of sight is deleted to them, and one that comes into
   * sight is new. Undefined if it is nothing.
   */
  tell({ table, before, after, ...change }: LoggedChange): ToldChange | undefined {
    const was = this.see(table, before);
    const is = this.see(table, after);
    const told = is?.told ?? was?.told;
    if (!told) return undefined;
    const isOfClock = change.action === 'due' || change.action === 'low_stock';
    const action = !is ? 'delete' : was || isOfClock ? change.action : 'create';
    const fields = action === 'update' ? fieldsOf(told, change.fields) : [];
    if (action === 'update' && fields.length === 0) return undefined;
    return { ...change, action, fields, told, before: was?.image ?? null, after: is?.image ?? null };
  }

  /** Tells those of the changes that the caller may know of. */
  tellAll = (changes: readonly LoggedChange[]): ToldChange[] =>
    changes.map((change) => this.tell(change)).filter((change) => change !== undefined);

  /** What the caller may know of a row of a table; undefined if it is nothing. */
  see(table: string, row: StoredRow | null): ToldRow | undefined {
    if (!row) return undefined;
    const found = this.readable.get(table)?.find(({ told, isVisible }) => isVisible(byField(told.model, row)));
    return found && { told: found.told, image: new RowImage(found.told, row) };
  }
}

/** The API's fields among columns of the database. */
const fieldsOf = ({ model, columns }: ToldType, changed: readonly string[]): string[] =>
  columns.filter((column) => changed.includes(databaseName(model, column)));

/** A stored row by the names of Prisma's conditions. */
const byField = (model: ModelName, row: StoredRow): Row =>
  Object.fromEntries(
    Object.keys(modelFacts(model).columns).map((column) => [column, row[databaseName(model, column)] ?? null]),
  );

/**
 * Whether a row meets a condition of its own columns, as resources have to limit who sees their rows.
 * @throws Error for a condition of another kind
 */
export function matches(where: Where, row: Row): boolean {
  return Object.entries(where).every(([name, condition]) => {
    if (name === 'OR') return (condition as Where[]).some((each) => matches(each, row));
    if (name === 'AND') return [condition as Where | Where[]].flat().every((each) => matches(each, row));
    if (!(name in row)) throw new Error(`${name} is not a column`);
    if (typeof condition !== 'object' || condition === null) return row[name] === condition;
    const [[operator, value] = [], ...others] = Object.entries(condition);
    if (operator === 'not' && others.length === 0) return row[name] !== value;
    throw new Error(`${name}: ${JSON.stringify(condition)} cannot be checked on a row`);
  });
}
