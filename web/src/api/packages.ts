import { type RequestBody, type ResponseData, rest, unwrap } from './rest.ts';

/** A package as the guest who registered it sees it. */
export type ExpectedPackage = ResponseData<'/public/expected-packages/{token}', 'get'>;

type NewPackage = RequestBody<'/public/expected-packages', 'post'>;

/**
 * Registers a delivery.
 * @param input what the guest filled in; the service reports required fields that are missing
 * @returns the token that the package is tracked with, which cannot be read again
 */
export async function registerPackage(input: Partial<NewPackage>): Promise<string> {
  const created = await unwrap(rest.POST('/public/expected-packages', { body: input as NewPackage }));
  return created.tracking_token;
}

export const getPackage = (token: string): Promise<ExpectedPackage> =>
  unwrap(rest.GET('/public/expected-packages/{token}', { params: { path: { token } } }));
