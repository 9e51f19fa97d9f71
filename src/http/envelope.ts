import { type ServiceError, statusOf } from '../errors.ts';

/** The response body of one resource or value: `{ data, meta }`. */
export const itemBody = (data: unknown, requestId: string) => ({ data, meta: { request_id: requestId } });

/** The body of an error: `{ error, meta }`. */
export function errorBody({ code, message, fieldErrors }: ServiceError, requestId: string) {
  return {
    error: { code, message, status: statusOf[code], ...(fieldErrors && { details: fieldErrors }) },
    meta: { request_id: requestId },
  };
}
