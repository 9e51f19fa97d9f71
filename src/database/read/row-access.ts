import type { Models } from './models.ts';
import type { Slot } from './slot.ts';
import type { Where } from './where.ts';

/**
 * The condition of the rows of a model that a caller can access; undefined where these are all of the company.
 *
 * @param type as which type of the API they are read, where the model has several
 */
export type RowFilter = (model: string, type: string | undefined) => Where | undefined;

/** Which rows a statement reads. It may have slots for the ids. */
export interface StatementAccess {
  readonly companyId: string | Slot;
  readonly memberId?: string | Slot | undefined;
  readonly filterOf: RowFilter;
  /** The models of the API whose fields are read; by default those of the Prisma schema. */
  readonly models?: Models | undefined;
}

/** Which rows a reader reads: those of one company and, of those, the ones that the caller can access. */
export interface Access extends StatementAccess {
  readonly companyId: string;
  /** The user whose companies are read, where these are more than that one: a person sees those they belong to. */
  readonly memberId?: string | undefined;
}

/** Filters no rows. */
export const noFilter: RowFilter = () => undefined;

/**
 * The access to all rows of a company, as the service itself has it.
 *
 * @param models those of the API whose fields are read; by default those of the Prisma schema
 */
export const wholeCompany = (companyId: string, models?: Models): Access => ({ companyId, filterOf: noFilter, models });
