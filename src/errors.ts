import { GraphQLError } from 'graphql';

/** The codes of error responses. */
export type ErrorCode =
  | 'BAD_REQUEST'
  | 'INVALID_TOKEN'
  | 'INVALID_CREDENTIALS'
  | 'TWO_FACTOR_REQUIRED'
  | 'INSUFFICIENT_SCOPE'
  | 'REAUTHENTICATION_REQUIRED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_ACCEPTABLE'
  | 'REQUEST_TIMEOUT'
  | 'CONFLICT'
  | 'GONE'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RANGE_NOT_SATISFIABLE'
  | 'VALIDATION_ERROR'
  | 'LOCKED'
  | 'RATE_LIMITED'
  | 'REQUEST_HEADER_FIELDS_TOO_LARGE'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE';

/** The HTTP status of each code. */
export const statusOf: Record<ErrorCode, number> = {
  BAD_REQUEST: 400,
  INVALID_TOKEN: 401,
  INVALID_CREDENTIALS: 401,
  TWO_FACTOR_REQUIRED: 401,
  INSUFFICIENT_SCOPE: 403,
  REAUTHENTICATION_REQUIRED: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  GONE: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  VALIDATION_ERROR: 422,
  LOCKED: 423,
  RATE_LIMITED: 429,
  REQUEST_HEADER_FIELDS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};

/** Validation errors: a message by field name in GraphQL's spelling, `location.building` for a nested field. */
export type FieldErrors = Record<string, string>;

/** An error that may be sent to a client: a code, a message, and a message for each invalid field, if any. */
export class ServiceError extends GraphQLError {
  /** The first 50, shortened. */
  readonly fieldErrors?: FieldErrors;

  constructor(
    readonly code: ErrorCode,
    readonly reason: string,
    fieldErrors?: FieldErrors,
    /** The invalid argument, by its GraphQL name; for BAD_REQUEST only. */
    readonly argument?: string,
  ) {
    const details = fieldErrors && limitDetails(fieldErrors);
    super(argument ? `${argument}: ${reason}` : reason, {
      extensions: { code, status: statusOf[code], ...(details && { details }) },
    });
    if (details) this.fieldErrors = details;
  }
}

/** 503: something besides the database cannot be used now. */
export class UnavailableError extends ServiceError {
  /**
   * @param what names it in the log
   * @param cause is logged, and not sent
   */
  constructor(
    message: string,
    readonly what: string,
    override readonly cause: unknown,
  ) {
    super('SERVICE_UNAVAILABLE', message);
  }
}

/** Maximum number of fields in one error, as a long list can have very many invalid ones. */
export const maxFieldErrors = 50;

/** Maximum length of what an error says about a field, as it may quote a value of any length. */
const maxDetailLength = 500;

/** Shortens a text that is longer than `maxLength` characters. */
export const shorten = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;

const limitDetails = (fieldErrors: FieldErrors): FieldErrors =>
  Object.fromEntries(
    Object.entries(fieldErrors)
      .slice(0, maxFieldErrors)
      .map(([field, text]) => [field, shorten(text, maxDetailLength)]),
  );

/** 400: the request cannot be read. @param argument the invalid one, if it is about one */
export const badRequest = (reason: string, argument?: string) =>
  new ServiceError('BAD_REQUEST', reason, undefined, argument);

/** 404: no such row in the caller's company. @param noun what people call it */
export const notFound = (noun: string) => new ServiceError('NOT_FOUND', `There is no such ${noun}.`);

/** 409: a duplicate, or a state that does not allow the change. */
export const conflict = (message: string, fieldErrors?: FieldErrors) =>
  new ServiceError('CONFLICT', message, fieldErrors);

/** 401: the token or session of a request has ended since the request began. */
export const noLongerValid = () => new ServiceError('INVALID_TOKEN', 'The token or session is no longer valid.');

/** 403: the caller lacks the scope that a field or route requires. */
export const insufficientScope = (needed: string) =>
  new ServiceError('INSUFFICIENT_SCOPE', `This requires the scope ${needed}.`);

/** 403: the caller's role does not allow it. @param message names the role */
export const insufficientRole = (message: string) => new ServiceError('INSUFFICIENT_SCOPE', message);

/** 422: a readable body with invalid fields. */
export const validationError = (fieldErrors: FieldErrors) =>
  new ServiceError('VALIDATION_ERROR', 'Validation failed.', fieldErrors);

/** 503: the work took longer than a request may. */
export const tooSlow = () =>
  new ServiceError('SERVICE_UNAVAILABLE', 'This took too long; ask for less, or try again later.');

/** 503: the database is unreachable. */
const unavailable = () =>
  new ServiceError('SERVICE_UNAVAILABLE', 'The database is temporarily unavailable; try again shortly.');

/** 503: the connection to the database was lost while it committed. */
const outcomeUnknown = () =>
  new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The database became unavailable while it stored this, so it may have been stored or not. Repeat it with the same ' +
      'Idempotency-Key, or look before you repeat it.',
  );

/**
 * Converts any error to the one the client gets: a ServiceError as it is, SERVICE_UNAVAILABLE for an unreachable
 * database, and INTERNAL_ERROR without its cause for everything else.
 */
export function publicError(error: unknown): ServiceError {
  const cause = error instanceof GraphQLError && error.originalError ? error.originalError : error;
  if (cause instanceof ServiceError) return cause;
  // Anything can be thrown, and is asked for its code.
  if ((cause as { code?: unknown } | null)?.code === tooManyParameters)
    return badRequest('The filters of this request have too many values.');
  const reason = whyUnavailable(cause);
  if (reason === undefined) return new ServiceError('INTERNAL_ERROR', 'Something went wrong on our side.');
  if (reason === unresolved) return outcomeUnknown();
  return reason === cancelled ? tooSlow() : unavailable();
}

/** Asserts that nothing of a GraphQL result is missing because the database cannot be read now. @throws ServiceError */
export function assertAvailable({ errors = [] }: { readonly errors?: readonly unknown[] }): void {
  const found = errors.map(publicError).find(({ code }) => code === 'SERVICE_UNAVAILABLE');
  if (found) throw found;
}

/** Prisma's code for a statement with more values than the database accepts: those of nested filters add up. */
const tooManyParameters = 'P2029';

/** PostgreSQL's code for a statement that it cancelled, as it took longer than it may. */
const cancelled = '57014';

/** PostgreSQL's code for a transaction of which nobody knows whether it was committed. */
const unresolved = '08007';

/**
 * Codes of an unavailable database, from Prisma, sockets and PostgreSQL: connection lost, shutting down, full, timed
 * out, locked, not migrated, a standby that accepts no writes.
 */
const unreachable =
  /^(P1001|P1002|P1008|P1017|P2024|P2028|E(CONN\w+|TIMEDOUT|HOSTUNREACH|NOTFOUND|PIPE)|08\w{3}|57P\d\d|57014|53\d{3}|25006|55000|55P03|40001|40P01)$/;

/** What Prisma's adapters call it when a server cannot be reached, where they keep no code. */
const unreachableKinds = ['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TlsConnectionError'];

/** The code or message by which the database says that it is unavailable; undefined for other errors. */
function whyUnavailable(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 5) return undefined;
  // Drivers and Prisma throw objects with any of these.
  const { code, originalCode, kind, cause, meta, message } = error as Record<string, unknown>;
  const known = [code, originalCode].find(
    (value): value is string => typeof value === 'string' && unreachable.test(value),
  );
  if (known) return known;
  if (typeof kind === 'string' && unreachableKinds.includes(kind)) return kind;
  if (
    typeof message === 'string' &&
    /Connection terminated|connection error|timeout exceeded when trying to connect|Query read timeout|Client was closed/.test(
      message,
    )
  )
    return message;
  // Prisma's adapters say here what the driver threw.
  const adapterError = (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  return whyUnavailable(cause, depth + 1) ?? whyUnavailable(adapterError, depth + 1);
}
