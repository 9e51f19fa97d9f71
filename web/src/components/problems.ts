import { ApiError } from '../api/http.ts';

/** The errors of an action by field; none if what failed is not about fields. */
export const fieldErrorsOf = (error: Error | null): ApiError['details'] =>
  error instanceof ApiError ? error.details : {};

/** The message of an error that is not about fields. */
export const messageOf = (error: Error | null): string | undefined =>
  Object.keys(fieldErrorsOf(error)).length === 0 ? error?.message : undefined;
