import type { Context } from '../../context.ts';
import { conflict, type FieldErrors, notFound, ServiceError, validationError } from '../../errors.ts';
import { listModel, modelFacts, type Row, wordsOfModel } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { rowExists } from '../read/query.ts';
import { mustBeActive } from './active-users.ts';

/** The parts of a resource that explain a database error. */
type WrittenResource = Pick<Resource, 'words' | 'model' | 'stored' | 'parent' | 'fields' | 'nestedItems'>;

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
    readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly constraint?: { index?: string } } } };
  };
  const kind = violations[String(code)];
  return kind && { kind, constraint: constraint ?? meta?.driverAdapterError?.cause?.constraint?.index };
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
  resource: Pick<Resource, 'model' | 'stored' | 'parent' | 'fields' | 'nestedItems'>,
  data: Row,
  context: Context,
  id?: string,
): Promise<FieldErrors> {
  const { model, parent, nestedItems } = resource;
  const errors: FieldErrors = {};
  const look = async (row: Row, of: Pick<Resource, 'model' | 'stored' | 'fields'>, path: string) => {
    for (const column of Object.keys(modelFacts(of.model).references)) {
      const value = row[column];
      if ((column === parent?.column && row === data) || typeof value !== 'string') continue;
      const error = (await referenceErrors(of, column, [value], context)).get(value);
      if (error !== undefined) errors[path + column] = error;
    }
  };
  await look(data, resource, '');
  if (id !== undefined && Object.keys(errors).length > 0) {
    const row = await context.reader.findUnique(model, { as: null, where: { id } });
    for (const column of Object.keys(errors)) if (row?.[column] === data[column]) delete errors[column];
  }
  for (const relation of Object.keys(nestedItems)) {
    for (const [n, item] of ((data[relation] ?? []) as Row[]).entries()) {
      const items = listModel(model, relation);
      await look(item, { model: items, stored: modelFacts(items).stored, fields: {} }, `${relation}.${n}.`);
    }
  }
  return errors;
}

/**
 * Finds which values of a column refer to no row of the caller's company, or to a user who must be active and is not.
 *
 * @returns value → its error
 */
export async function referenceErrors(
  resource: Pick<Resource, 'model' | 'stored' | 'fields'>,
  column: string,
  values: readonly string[],
  context: Context,
): Promise<ReadonlyMap<string, string>> {
  const target = modelFacts(resource.model).references[column];
  if (!target || values.length === 0) return new Map();
  const where = { id: { in: values } };
  const rows = await context.reader.findMany(target, {
    where,
    select: { id: true, ...(target === 'User' && { deactivatedAt: true }) },
  });
  const known = new Map(rows.map((row) => [row['id'], row]));
  const errorOf = (value: string) => {
    const row = known.get(value);
    if (!row) return noSuch(wordsOfModel(target).noun);
    return mustBeActive(resource, column) && row['deactivatedAt'] != null ? 'must be an active user' : undefined;
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

/** The errors of the columns whose unique index was violated. */
function duplicateErrors(index: string | undefined, { model, parent, fields }: WrittenResource): FieldErrors {
  const indexed = index === undefined ? undefined : modelFacts(model).uniques[index];
  const columns = (indexed ?? []).filter((column) => column !== 'companyId');
  const declared = Object.entries(fields).flatMap(([field, { unique }]) => {
    if (!unique) return [];
    if (typeof unique === 'string') return columns.includes(field) ? [[field, unique]] : [];
    return unique.index === index ? [[field, unique.message]] : [];
  });
  if (declared.length > 0) return Object.fromEntries(declared) as FieldErrors;
  return Object.fromEntries(columns.flatMap((column) => (column === parent?.column ? [] : [[column, 'is taken']])));
}
