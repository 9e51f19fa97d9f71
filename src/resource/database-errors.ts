import type { Context } from '../context.ts';
import { conflict, type FieldErrors, notFound, ServiceError, validationError } from '../errors.ts';
import { aOrAn, words } from '../names.ts';
import { listModel, type ModelName, modelFacts, type Row } from './model.ts';
import { rowExists } from './query.ts';
import type { Resource } from './resource.ts';

/** The parts of a resource that explain a database error. */
type WrittenResource = Pick<Resource, 'type' | 'model' | 'parent' | 'fields' | 'nestedItems'>;

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

/** Converts constraint violations to errors for the client; returns other errors unchanged. */
export async function explainDatabaseError(
  error: unknown,
  resource: WrittenResource,
  data: Row,
  context: Context,
): Promise<unknown> {
  if (error instanceof ServiceError) return error;
  const violation = violationOf(error);
  if (violation?.kind === 'unique') {
    const thing = aOrAn(words(resource.type));
    return conflict(`Such ${thing} already exists.`, duplicateErrors(violation.constraint, resource));
  }
  if (violation?.kind === 'reference') {
    const missing = await findMissingParent(resource, data, context);
    if (missing) return missing;
    const errors = await findDanglingReferences(resource, data, context);
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
  return notFound(parent.resource.type);
}

/** Finds references in `data`, nested items included, to rows that the caller's company does not have. */
export async function findDanglingReferences(
  { model, parent, nestedItems }: Pick<Resource, 'model' | 'parent' | 'nestedItems'>,
  data: Row,
  context: Context,
): Promise<FieldErrors> {
  const errors: FieldErrors = {};
  const look = async (row: Row, rowModel: ModelName, path: string) => {
    for (const [column, target] of Object.entries(modelFacts(rowModel).references)) {
      const id = row[column];
      if ((column === parent?.column && row === data) || typeof id !== 'string') continue;
      if (!(await rowExists({ model: target }, id, context))) errors[path + column] = noSuch(target);
    }
  };
  await look(data, model, '');
  for (const relation of Object.keys(nestedItems)) {
    for (const [n, item] of ((data[relation] ?? []) as Row[]).entries()) {
      await look(item, listModel(model, relation), `${relation}.${n}.`);
    }
  }
  return errors;
}

/** The error for a reference to a row that the company does not have. @param name the type of the row */
export const noSuch = (name: string): string => `no such ${words(name)} in your company`;

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
