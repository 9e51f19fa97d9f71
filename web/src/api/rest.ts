import createClient from 'openapi-fetch';
import type { paths } from './generated/rest.ts';
import { send } from './http.ts';

/** The REST API, typed by its OpenAPI document. Requests throw an ApiError when they fail. */
export const rest = createClient<paths>({
  baseUrl: '/api/v1',
  headers: { accept: 'application/json' },
  fetch: send,
});

/** Returns the data of a REST response, without the envelope. */
export async function unwrap<T>(response: Promise<{ data?: { data: T } }>): Promise<T> {
  const { data } = await response;
  if (!data) throw new Error('The response has no body.');
  return data.data;
}

/** The data of a REST route's response. */
export type ResponseData<Path extends keyof paths, Method extends keyof paths[Path]> = paths[Path][Method] extends {
  responses: { [status in 200 | 201]?: { content: { 'application/json': { data: infer Data } } } };
}
  ? Data
  : never;

/** The JSON body of a REST route. */
export type RequestBody<Path extends keyof paths, Method extends keyof paths[Path]> = paths[Path][Method] extends {
  requestBody: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;
