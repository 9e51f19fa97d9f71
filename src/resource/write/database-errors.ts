import type { Context } from '../../context.ts';
import { conflict, type FieldErrors, notFound, ServiceError, validationError } from '../../errors.ts';
import { listOf, type Row, type Rows, type ToOne } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { rowExists } from '../read/query.ts';
import { mustBeActive } from './active-users.ts';
import { gatherBelow, type RowsBelow, withoutLinks } from './below.ts';

/** The parts of a resource that explain a database error. */
type WrittenResource = Rows & Pick<Resource, 'parent' | 'fields' | 'nestedItems'>;

/** A constraint that a write violated. */
interface Violation {
  readonly kind: 'unique' | 'reference';
  /** The name of the unique index or of the foreign key; Prisma does not always report it. */
  readonly constraint?: string;
}

/** The constraint that a write violated, whether the kit's own write or one of Prisma's in a hook. */
export function violationOf(error: unknown): Violation | undefined {
  const { code, constraint, meta } = (error ?? {}) as {
    readonly code?: unknown;
    readonly constraint?: string;
    // Prisma's types do not cover what a driver adapter reports.
    readonly meta?: {
      readonly driverAdapterError?: {
        readonly cause?: { readonly originalCode?: string; readonly constraint?: { index?: string } };
      };
    };
  };
  const { cause } = meta?.driverAdapterError ?? {};
  // Of SQL that Prisma was given, the code is that of PostgreSQL.
  const kind = violations[String(code === 'P2010' ? cause?.originalCode : code)];
  return kind && { kind, constraint: constraint ?? cause?.constraint?.index };
}

/** The codes of PostgreSQL and of Prisma. */
const violations: Readonly<Record<string, Violation['kind']>> = {
  '23505': 'unique',
  P2002: 'unique',
  '23503': 'reference',
  '23001': 'reference',
  P2003: 'reference',
};

/**
 * Converts constraint violations to errors for the client; returns other errors unchanged.
 *
 * @param id the id of the row that was to be updated
 */
export async function explainDatabaseError(
  error: unknown,
  resource: WrittenResource,
  data: Row,
  context: Context,
  id?: string,
): Promise<unknown> {
  if (error instanceof ServiceError) return error;
  const violation = violationOf(error);
  if (violation?.kind === 'unique') {
    return conflict(`Such ${resource.words.one} already exists.`, duplicateErrors(violation.constraint, resource));
  }
  if (violation?.kind === 'reference') {
    const missing = await findMissingParent(resource, data, context);
    if (missing) return missing;
    const errors = await findDanglingReferences(resource, data, context, id);
    if (Object.keys(errors).length > 0) return validationError(errors);
  }
  return error;
}

/**
 * Finds out whether the parent that a new row names is missing. It is checked before other references, as it is part of
 * the path.
 *
 * @returns NOT_FOUND, or undefined if there is such a parent, or none is named
 */
export async function findMissingParent(
  { parent }: Pick<Resource, 'parent'>,
  data: Row,
  context: Context,
): Promise<ServiceError | undefined> {
  const id = parent && data[parent.column];
  if (!parent || typeof id !== 'string' || (await rowExists(parent.resource, id, context))) return undefined;
  return notFound(parent.resource.words.noun);
}

/**
 * Finds references in `data`, nested items included, that cannot be stored; see `referenceErrors`.
 *
 * @param id the id of the row that is updated: references that it has already are no errors
 */
export async function findDanglingReferences(
  resource: WrittenResource,
  data: Row,
  context: Context,
  id?: string,
): Promise<FieldErrors> {
  const { model, parent, nestedItems } = resource;
  const errors: FieldErrors = {};
  const look = async (row: Row, of: Referring, path: string) => {
    for (const relation of Object.values(of.relations)) {
      const column = relation.field.name;
      const value = row[column];
      if ((column === parent?.column && row === data) || typeof value !== 'string') continue;
      const error = (await referenceErrors(of, relation, [value], context)).get(value);
      if (error !== undefined) errors[path + column] = error;
    }
  };
  await look(data, resource, '');
  if (id !== undefined && Object.keys(errors).length > 0) {
    const row = await context.reader.findUnique(model, { as: null, where: { id } });
    for (const column of Object.keys(errors)) if (row?.[column] === data[column]) delete errors[column];
  }
  for (const relation of Object.keys(nestedItems)) {
    const items = { ...listOf(resource, relation).target, fields: {} };
    for (const [n, item] of ((data[relation] ?? []) as Row[]).entries()) await look(item, items, `${relation}.${n}.`);
  }
  return errors;
}

/**
 * Finds the references of several rows that cannot be stored; see `referenceErrors`.
 *
 * @param placeOf the name of the n-th row, by which errors are named
 */
export async function findDangling(
  resource: Referring,
  placeOf: (n: number) => string,
  rows: readonly Row[],
  context: Context,
): Promise<FieldErrors> {
  const errors: FieldErrors = {};
  for (const relation of Object.values(resource.relations)) {
    const column = relation.field.name;
    const ids = rows.flatMap((row) => row[column] ?? []).map(String);
    const found = await referenceErrors(resource, relation, ids, context);
    for (const [n, row] of rows.entries()) {
      const error = found.get(String(row[column]));
      if (error !== undefined) errors[`${placeOf(n)}.${column}`] = error;
    }
  }
  return errors;
}

/** Finds those of rows that new rows bring along, by their places. */
export async function findDanglingBelow(lists: readonly RowsBelow[], context: Context): Promise<FieldErrors> {
  const errors: FieldErrors = {};
  for (const { list, rows } of lists) {
    const placeOf = (n: number) => rows[n]?.place ?? '';
    Object.assign(errors, await findDangling(list.resource, placeOf, withoutLinks(list, rows), context));
    const further = gatherBelow(rows.map(({ place, write: { below } }) => ({ place, below })));
    Object.assign(errors, await findDanglingBelow(further, context));
  }
  return errors;
}

/** What of rows says which others they may refer to. */
type Referring = Pick<Resource, 'stored' | 'relations' | 'fields'>;

/**
 * Finds which values of a reference refer to no row of the caller's company, or to a user who must be active and is
 * not.
 *
 * @returns value → its error
 */
export async function referenceErrors(
  resource: Referring,
  { field, target }: ToOne,
  values: readonly string[],
  context: Context,
): Promise<ReadonlyMap<string, string>> {
  if (values.length === 0) return new Map();
  const isActiveUser = mustBeActive(resource, field.name);
  const rows = await context.reader.findMany(target.model, {
    where: { id: { in: values } },
    select: { id: true, ...(isActiveUser && { deactivatedAt: true }) },
  });
  const known = new Map(rows.map((row) => [row['id'], row]));
  const errorOf = (value: string) => {
    const row = known.get(value);
    if (!row) return noSuch(target.words.noun);
    return isActiveUser && row['deactivatedAt'] != null ? 'must be an active user' : undefined;
  };
  return new Map(
    values.flatMap((value) => {
      const error = errorOf(value);
      return error === undefined ? [] : [[value, error]];
    }),
  );
}

/** The error for a reference to a row that the company does not have. @param noun what people call the row */
export const noSuch = (noun: string): string => `no such ${noun} in your company`;

/** The name of the index of a table's ids, as PostgreSQL makes it. */
const primaryKeyOf = (table: string): string => `${table}_pkey`;

/** The errors of the columns whose unique index was violated. */
function duplicateErrors(index: string | undefined, { table, uniques, parent, fields }: WrittenResource): FieldErrors {
  if (index === primaryKeyOf(table)) return { id: 'is taken' };
  const columns = index === undefined ? [] : (uniques[index] ?? []);
  const declared = Object.entries(fields).flatMap(([field, { unique }]) => {
    if (!unique) return [];
    if (typeof unique === 'string') return columns.includes(field) ? [[field, unique]] : [];
    return unique.index === index ? [[field, unique.message]] : [];
  });
  if (declared.length > 0) return Object.fromEntries(declared) as FieldErrors;
  return Object.fromEntries(columns.flatMap((column) => (column === parent?.column ? [] : [[column, 'is taken']])));
}
