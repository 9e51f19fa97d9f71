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

/** Sends a request with the session's cookie. @throws ApiError when there is no response, or an error response */
export async function send(request: Request): Promise<Response> {
  const response = await fetch(request).catch(() => {
    throw new ApiError("Can't reach the server. Check your connection and try again.", 'UNREACHABLE');
  });
  if (response.ok) return response;
  const isJson = response.headers.get('content-type')?.includes('json');
  // Errors of REST or of GraphQL.
  const { error, errors } = (isJson ? await response.json() : {}) as ErrorBody;
  const { code, message, details } = error ?? { ...errors?.[0]?.extensions, message: errors?.[0]?.message };
  if (response.status === 429) {
    const wait = formatWait(Number(response.headers.get('retry-after')));
    throw new ApiError(`Too many attempts. Try again in ${wait}.`, 'RATE_LIMITED');
  }
  // The pages authenticate only by the session's cookie.
  if (code === 'INVALID_TOKEN')
    throw new ApiError("You've been signed out or removed from this company. Reload the page to continue.", code);
  throw new ApiError(
    message ?? `Something went wrong (error ${response.status}). Try again in a moment.`,
    code ?? 'UNKNOWN',
    details,
  );
}

/** Sends JSON and reads JSON; an empty response is undefined. @throws ApiError */
export async function sendJson<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<T> {
  const response = await send(
    new Request(path, {
      method,
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  // What the route responds with, as the caller says.
  return (text ? JSON.parse(text) : undefined) as T;
}

const formatWait = (seconds: number) =>
  seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds || 60} seconds`;
