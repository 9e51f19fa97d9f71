import type { Context } from '../context.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { conflict, type FieldErrors, notFound, ServiceError, validationError } from '../errors.ts';
import { aOrAn, words } from '../names.ts';
import { listModel, type ModelName, modelFacts, type Row } from './model.ts';
import { rowExists } from './query.ts';
import type { Resource } from './resource.ts';

/** The parts of a resource that explain a database error. */
type WrittenResource = Pick<Resource, 'type' | 'model' | 'parent' | 'fields' | 'nestedItems'>;

/** Whether it is Prisma's error with this code. */
export const isPrismaError = (error: unknown, code: string): error is Prisma.PrismaClientKnownRequestError =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === code;

/** Converts constraint violations to errors for the client; returns other errors unchanged. */
export async function explainDatabaseError(
  error: unknown,
  resource: WrittenResource,
  data: Row,
  context: Context,
): Promise<unknown> {
  if (error instanceof ServiceError) return error;
  if (isPrismaError(error, 'P2025')) return notFound(resource.type);
  if (isPrismaError(error, 'P2002')) {
    const thing = aOrAn(words(resource.type));
    return conflict(`Such ${thing} already exists.`, duplicateErrors(error, resource));
  }
  if (isPrismaError(error, 'P2003')) {
    // The parent is checked first, as it is part of the path.
    const { parent } = resource;
    const parentId = data[parent?.column ?? ''];
    if (parent && typeof parentId === 'string' && !(await rowExists(parent.resource, parentId, context))) {
      return notFound(parent.resource.type);
    }
    const errors = await findDanglingReferences(resource, data, context);
    if (Object.keys(errors).length > 0) return validationError(errors);
  }
  return error;
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
function duplicateErrors(
  error: Prisma.PrismaClientKnownRequestError,
  { model, parent, fields }: WrittenResource,
): FieldErrors {
  // Prisma's types do not cover what a driver adapter reports.
  const meta = error.meta as { driverAdapterError?: { cause?: { constraint?: { index?: string } } } } | undefined;
  const index = meta?.driverAdapterError?.cause?.constraint?.index ?? '';
  const columns = (modelFacts(model).uniques[index] ?? []).filter((column) => column !== 'companyId');
  const declared = Object.entries(fields).flatMap(([field, { unique }]) => {
    if (!unique) return [];
    if (typeof unique === 'string') return columns.includes(field) ? [[field, unique]] : [];
    return unique.index === index ? [[field, unique.message]] : [];
  });
  if (declared.length > 0) return Object.fromEntries(declared) as FieldErrors;
  return Object.fromEntries(columns.flatMap((column) => (column === parent?.column ? [] : [[column, 'is taken']])));
}
