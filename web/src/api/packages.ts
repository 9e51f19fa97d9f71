import { type RequestBody, type ResponseData, rest, unwrap } from './rest.ts';

/** A package as the guest who registered it sees it. */
export type ExpectedPackage = ResponseData<'/public/expected-packages/{token}', 'get'>;

type NewPackage = RequestBody<'/public/expected-packages', 'post'>;

/**
 * Registers a delivery.
 * @param input the form's values; the service reports missing fields
 * @returns the tracking token, which cannot be read again
 */
export async function registerPackage(input: Partial<NewPackage>): Promise<string> {
  const created = await unwrap(rest.POST('/public/expected-packages', { body: input as NewPackage }));
  return created.tracking_token;
}

export const getPackage = (token: string): Promise<ExpectedPackage> =>
  unwrap(rest.GET('/public/expected-packages/{token}', { params: { path: { token } } }));
