import { type ServiceError, statusOf } from '../errors.ts';

/** The body of an answer that is one resource or value: `{ data, meta }`. */
export const itemBody = (data: unknown, requestId: string) => ({ data, meta: { request_id: requestId } });

/** The body of an error: `{ error, meta }`. */
export function errorBody({ code, message, faults }: ServiceError, requestId: string) {
  return {
    error: { code, message, status: statusOf[code], ...(faults && { details: faults }) },
    meta: { request_id: requestId },
  };
}
