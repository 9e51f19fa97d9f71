/** A refusal of the service, as REST and GraphQL tell it. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly code: string,
    /** What is wrong with which field. */
    readonly details: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** Calls the service: a path of ours, with the cookie of whoever is signed in. */
export async function call<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<T> {
  const { data } = await send<{ data: T }>(method, path, body);
  return data;
}

/** Runs a GraphQL operation; it fails as a whole when any of it does. */
export async function graphql<T>(query: string, variables: object = {}): Promise<T> {
  const { data, errors = [] } = await send<{ data: T; errors?: GraphqlFault[] }>('POST', '/graphql', {
    query,
    variables,
  });
  const [fault] = errors;
  if (fault) throw new Refusal(fault.message, fault.extensions.code, fault.extensions.details);
  return data;
}

interface GraphqlFault {
  readonly message: string;
  readonly extensions: { readonly code: string; readonly details?: Record<string, string> };
}

/** What either idiom says when it refuses a request as a whole. */
interface Refused {
  readonly error?: { readonly code: string; readonly message: string; readonly details?: Record<string, string> };
  readonly errors?: readonly GraphqlFault[];
}

async function send<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Refusal('The service cannot be reached. Check the connection and try again.', 'UNREACHABLE');
  });
  const text = await response.text();
  const answer = (text && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {}) as T &
    Refused;
  if (response.ok) return answer;
  const { code, message, details } = answer.error ?? {
    ...answer.errors?.[0]?.extensions,
    message: answer.errors?.[0]?.message,
  };
  const wait = response.headers.get('retry-after');
  if (response.status === 429)
    throw new Refusal(`Too many attempts. Try again in ${minutes(Number(wait))}.`, 'RATE_LIMITED');
  // A page sends no token but the cookie, and came to be with it.
  if (code === 'INVALID_TOKEN')
    throw new Refusal('You are no longer signed in, or no longer in this company. Reload the page to go on.', code);
  throw new Refusal(
    message ?? `The service answered ${response.status}. Try again in a moment.`,
    code ?? 'UNKNOWN',
    details,
  );
}

const minutes = (seconds: number) => (seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds || 60} seconds`);
