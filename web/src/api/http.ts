import { takeFirstResponse } from '../app/first-requests.ts';
import { t } from '../texts/components.ts';

/** A request that failed, with an error response or without any. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly code: string,
    /** Error messages by the field's name in the API. */
    readonly details: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export interface GraphqlError {
  readonly message: string;
  readonly extensions: { readonly code: string; readonly details?: Record<string, string> };
}

/** The body of a failed request, from REST or from GraphQL. */
interface ErrorBody {
  readonly error?: { readonly code: string; readonly message: string; readonly details?: Record<string, string> };
  readonly errors?: readonly GraphqlError[];
}

/** Asks the person to sign in again. @returns whether they have */
type SignInPrompt = (error: ApiError) => Promise<boolean>;

let signInPrompt: SignInPrompt | undefined;
let prompting: Promise<boolean> | undefined;

/** Sets what asks the person to sign in again where a request requires it. @returns a function that removes it */
export function setSignInPrompt(prompt: SignInPrompt): () => void {
  signInPrompt = prompt;
  return () => {
    if (signInPrompt === prompt) signInPrompt = undefined;
  };
}

/**
 * Has the person sign in again if that is what a failed request requires, and the page can ask. Requests that fail at
 * the same time ask once.
 *
 * @returns whether the request can be sent again
 */
export async function signInFor(error: ApiError): Promise<boolean> {
  if (!signInPrompt || !['INVALID_TOKEN', 'REAUTHENTICATION_REQUIRED'].includes(error.code)) return false;
  prompting ??= signInPrompt(error).finally(() => {
    prompting = undefined;
  });
  return prompting;
}

/**
 * Sends a request with the session's cookie, again after the person has signed in again.
 *
 * @throws ApiError when there is no response, or an error response
 */
export async function send(request: Request): Promise<Response> {
  // These requests are part of signing in again.
  const isSigningIn = /^\/auth\/(sign-in|session)/.test(new URL(request.url).pathname);
  for (let attempts = 1; ; attempts++) {
    const response = await fetch(request.clone()).catch((error: unknown) => {
      if (request.signal.aborted) throw error;
      throw new ApiError(t('cantReachTheServer'), 'UNREACHABLE');
    });
    if (response.ok) return response;
    const error = await readError(response);
    if (isSigningIn || attempts === maxAttempts || !(await signInFor(error))) throw error;
  }
}

let companyId: string | undefined;

/** Sets the company that requests are for: where another one is active by then, the service refuses them. */
export function setCompany(id: string | undefined): void {
  companyId = id;
}

/** The header that names the company that a request is for. */
const companyHeader = (): Record<string, string> => (companyId === undefined ? {} : { 'premises-company': companyId });

/** How often a request is sent, if signing in again does not make it succeed. */
const maxAttempts = 3;

async function readError(response: Response): Promise<ApiError> {
  const isJson = response.headers.get('content-type')?.includes('json');
  // Errors of REST or of GraphQL.
  const { error, errors } = (isJson ? await response.json() : {}) as ErrorBody;
  const { code, message, details } = error ?? { ...errors?.[0]?.extensions, message: errors?.[0]?.message };
  if (response.status === 429) {
    return new ApiError(tooMany(Number(response.headers.get('retry-after'))), 'RATE_LIMITED');
  }
  // The pages authenticate only by the session's cookie.
  if (code === 'INVALID_TOKEN') return new ApiError(t('signedOutOrRemoved'), code);
  return new ApiError(
    message ?? t('somethingWentWrongStatus', { status: response.status }),
    code ?? 'UNKNOWN',
    details,
  );
}

/** Sends JSON and reads JSON; an empty response is undefined. @throws ApiError */
export async function sendJson<T>(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<T> {
  const json = body && JSON.stringify(body);
  const first = json === undefined ? undefined : await takeFirstResponse(json);
  const text = first ?? (await (await send(requestOf(method, path, json, signal))).text());
  // What the route responds with, as the caller says.
  return (text ? JSON.parse(text) : undefined) as T;
}

function requestOf(method: string, path: string, json: string | undefined, signal: AbortSignal | undefined): Request {
  const headers = {
    accept: 'application/json',
    ...(path === '/graphql' ? companyHeader() : {}),
    ...(json !== undefined && { 'content-type': 'application/json' }),
  };
  return new Request(path, { method, headers, ...(json !== undefined && { body: json }), ...(signal && { signal }) });
}

const tooMany = (seconds: number) =>
  seconds > 90
    ? t('tooManyAttemptsMinutes', { count: Math.ceil(seconds / 60) })
    : t('tooManyAttemptsSeconds', { count: seconds || 60 });
