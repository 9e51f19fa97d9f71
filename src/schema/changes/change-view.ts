import { accessError, permits } from '../../auth/access.ts';
import type { ScopeGroup } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { TableName } from '../../database/tables.ts';
import type { LoggedChange, StoredRow } from '../../events/log.ts';
import { constantCase, lowerFirst } from '../../names.ts';
import {
  getOrCreate,
  hiddenColumns,
  type ImagePlan,
  listOf,
  noPolicies,
  type Policies,
  planImage,
  type Resource,
  RowImage,
  type Rows,
  type ShownColumns,
  storedField,
  type Words,
} from '../../resource/index.ts';
import { ImageFilter, MatchedImages } from './matched-images.ts';

/** A type whose changes clients can read. */
export interface LoggedType extends ShownColumns, Pick<Rows, 'model' | 'roles'> {
  /** Its GraphQL type. */
  readonly type: string;
  /** The value of the enum of resources. */
  readonly name: string;
  /** What people call its rows. */
  readonly words: Words;
  /** The root field that lists or reads its rows, if there is one. */
  readonly field?: string;
  readonly table: TableName;
  readonly scope: ScopeGroup;
  readonly policies: Policies;
  /** How its rows are shown as they were. */
  readonly plan: ImagePlan;
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
  /** The columns that the caller may not read. */
  readonly hidden: readonly string[];
  readonly image: RowImage;
}

/**
 * The types whose changes clients can read: those of the resources, and of the line items that belong to their rows.
 */
export const loggedTypes = (resources: readonly Resource[]): readonly LoggedType[] =>
  getOrCreate(logged, resources, () =>
    resources.flatMap((resource) => [loggedType(resource), ...lineItemsOf(resource).map(({ rowType }) => rowType)]),
  );

const logged = new WeakMap<readonly Resource[], readonly LoggedType[]>();

/** The type of a resource's rows. */
export const loggedType = ({
  type,
  words,
  isSingleton,
  model,
  table,
  stored,
  roles,
  columns,
  scope,
  policies,
}: Resource): LoggedType => ({
  type,
  words,
  name: nameOf(isSingleton ? type : words.manyInNames),
  field: lowerFirst(isSingleton ? type : words.manyInNames),
  table,
  model,
  stored,
  roles,
  columns,
  scope,
  policies,
  plan: planImage({ stored, columns }, policies),
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
  Object.entries(resource.nestedItems).map(([relation, columns]) => {
    const { target, column } = listOf(resource, relation);
    const { model, table, words, stored, roles } = target;
    const shown = { model, stored, roles, columns: ['id', column, ...columns] };
    const rowType = {
      ...shown,
      type: model,
      words,
      name: nameOf(words.manyInNames),
      table,
      scope: resource.scope,
      policies: noPolicies,
      plan: planImage(shown, noPolicies),
    };
    return { rowType, relation, column };
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

/** A type whose rows a caller may read. */
interface ReadableType {
  readonly rowType: LoggedType;
  /** The condition of the rows that the caller can access; undefined where they can access all. */
  readonly filter: ImageFilter | undefined;
  /** The columns that the caller may not read. */
  readonly hidden: readonly string[];
}

/** A row as it was; null before it was created and after it was deleted. */
interface Image {
  readonly table: TableName;
  readonly row: StoredRow | null;
}

/**
 * Projects changes of these types to what the caller of a request may read: by the row as it was, which a change has,
 * and by the row as it is now.
 */
export class ChangeView {
  private readonly readable: ReadonlyMap<TableName, readonly ReadableType[]>;

  constructor(
    types: readonly LoggedType[],
    private readonly context: Context,
  ) {
    const readable = new Map<TableName, ReadableType[]>();
    for (const rowType of types) {
      if (!permits(context.caller, `${rowType.scope}:read`)) continue;
      const { models } = context.storage;
      const where = context.reader.access.filterOf(rowType.model, rowType.type);
      readable.set(rowType.table, [
        ...(readable.get(rowType.table) ?? []),
        {
          rowType,
          filter: where && new ImageFilter(models(rowType.model), where),
          hidden: hiddenColumns(context.caller, rowType.policies),
        },
      ]);
    }
    this.readable = readable;
  }

  /** The columns that decide who sees rows of the types, by their names in the database. */
  get decidingColumns(): string[] {
    return [...this.readable.values()].flat().flatMap(({ filter }) => filter?.columns ?? []);
  }

  /** The tables of the types. */
  get tables(): TableName[] {
    return [...this.readable.keys()];
  }

  /** The model of one of the tables. */
  modelOf(table: TableName): Rows['model'] | undefined {
    return this.readable.get(table)?.[0]?.rowType.model;
  }

  /** What is to be known of rows as they were, before the part of them that the caller may see is known. */
  questions(images: readonly Image[]) {
    return images.flatMap(({ table, row: image }) =>
      image === null
        ? []
        : (this.readable.get(table) ?? []).flatMap(({ filter }) => (filter ? [{ filter, image }] : [])),
    );
  }

  /** Projects changes to what the caller could see when they were made; see `project`. */
  async projectAsWere(changes: readonly LoggedChange[]): Promise<VisibleChange[]> {
    const matched = await MatchedImages.find(this.questions(imagesOf(changes)), this.context.reader);
    return changes.map((change) => this.project(change, matched)).filter((change) => change !== undefined);
  }

  /**
   * The part of a change that the caller could see when it was made: a row that is no longer visible to them counts as
   * deleted, and one that becomes visible as new. Undefined if they could see nothing. The row may have become
   * invisible since, so readers are sent what `projectAll` returns.
   *
   * @param matched with the answers to the `questions` of its images
   */
  project({ table, before, after, ...change }: LoggedChange, matched: MatchedImages): VisibleChange | undefined {
    const was = this.projectImage({ table, row: before }, matched);
    const is = this.projectImage({ table, row: after }, matched);
    const rowType = is?.rowType ?? was?.rowType;
    if (!rowType) return undefined;
    const isReport = change.action === 'due' || change.action === 'low_stock';
    const action = !is ? 'delete' : was || isReport ? change.action : 'create';
    const shown = { ...rowType, columns: rowType.columns.filter((column) => !is?.hidden.includes(column)) };
    const fields = action === 'update' ? fieldsOf(shown, change.fields, before ?? {}, after ?? {}) : [];
    if (action === 'update' && fields.length === 0) return undefined;
    return { ...change, action, fields, rowType, before: was?.image ?? null, after: is?.image ?? null };
  }

  /**
   * Projects changes to what the caller may see now. A change of a row that is not visible to them now is left out, but
   * for that by which they lost it, of which they learn the id: rows that were deleted are visible to admins, if they
   * were when they were deleted.
   */
  async projectAll(changes: readonly LoggedChange[]): Promise<VisibleChange[]> {
    const projected = await this.projectAsWere(changes);
    const isVisible = await this.findVisible(projected);
    return projected.flatMap((change) => {
      if (isVisible(change)) return [change];
      return change.action === 'delete' ? [{ ...change, before: null, after: null }] : [];
    });
  }

  /** Finds which rows of changes are visible now. */
  private async findVisible(changes: readonly VisibleChange[]): Promise<(change: VisibleChange) => boolean> {
    const { caller, reader } = this.context;
    const isAdmin = caller.role === 'ADMIN';
    const wanted = new Map<LoggedType, Set<string>>();
    for (const { rowType, rowId } of changes) {
      // Admins see all rows of a type that has no filter, whether they exist or not.
      if (isAdmin && !reader.access.filterOf(rowType.model, rowType.type)) continue;
      getOrCreate(wanted, rowType, () => new Set<string>()).add(rowId);
    }
    const types = [...wanted.keys()];
    const found = await reader.accessible(
      [...wanted].map(([{ model, type }, ids]) => ({ model, as: type, ids: [...ids], deletedToo: isAdmin })),
    );
    return ({ rowType, rowId }) => found[types.indexOf(rowType)]?.has(rowId) ?? true;
  }

  /** The parts of rows that the caller may see; undefined for those that they may not see. */
  async projectRows(images: readonly Image[]): Promise<(VisibleRow | undefined)[]> {
    const matched = await MatchedImages.find(this.questions(images), this.context.reader);
    return images.map((image) => this.projectImage(image, matched));
  }

  private projectImage({ table, row }: Image, matched: MatchedImages): VisibleRow | undefined {
    if (!row) return undefined;
    const found = this.readable.get(table)?.find(({ filter }) => !filter || matched.has(filter, row));
    if (!found) return undefined;
    const { rowType, hidden } = found;
    return { rowType, hidden, image: new RowImage(rowType.plan, row, this.context.caller) };
  }
}

/** The rows before and after changes. */
export const imagesOf = (changes: readonly LoggedChange[]): Image[] =>
  changes.flatMap(({ table, before, after }) => [
    { table, row: before },
    { table, row: after },
  ]);

/** The API's fields among the changed columns; only the time of update if no other field changed. */
function fieldsOf(rows: LoggedType, changed: readonly string[], was: StoredRow, is: StoredRow): string[] {
  const { columns } = rows;
  const fields = columns.filter((name) => storedField(rows, name).isChanged(changed, was, is));
  const { update } = rows.roles;
  const isTouched = update && columns.includes(update.name) && update.inImage(was) !== update.inImage(is);
  return fields.length === 0 && isTouched ? [update.name] : fields;
}
