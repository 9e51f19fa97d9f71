import { GraphQLError } from 'graphql';
import pino, { type Logger } from 'pino';

/**
 * Creates the service's logger: JSON lines, or readable lines on a terminal.
 *
 * @param level the least severe level that is logged
 * @param terminal whether it writes to a terminal
 * @param mixin what each line has besides
 */
export async function createLogger(
  level: string,
  terminal: boolean,
  mixin: () => object = () => ({}),
): Promise<Logger> {
  const options = {
    level,
    redact: ['req.headers.authorization', 'req.headers.cookie'],
    serializers: { err: serializeError },
    mixin,
  };
  if (!terminal) return pino(options);
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,reqId,method,path,status,ms,user,company,trace_id',
    // Requests are logged on one line; other entries show their details below it.
    messageFormat: (line, key) => {
      const { method, path, status, ms, reqId } = line;
      const text = typeof method === 'string' ? [method, path, status, ms, 'ms'].join(' ') : String(line[key]);
      return typeof reqId === 'string' ? `${text} ${reqId}` : text;
    },
    sync: true,
  });
  return pino(options, stream);
}

/** An error in the log. */
interface LoggedError {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  readonly stack: string;
}

/**
 * Serializes an error without data: of Prisma's message only the last line, as the statement precedes it, and of
 * PostgreSQL's message the text without the quoted value.
 */
export function serializeError(error: unknown): LoggedError {
  const source = error instanceof GraphQLError && error.originalError ? error.originalError : error;
  // Of any value that was thrown, those properties that errors have.
  const {
    name: type = typeof source,
    code,
    message: text = String(source),
    stack: trace = '',
  } = Object(source) as {
    name?: string;
    code?: unknown;
    message?: string;
    stack?: string;
  };
  const message = text.replace(quotedValue, '$1"…"').trim().split('\n').at(-1) ?? '';
  const frames = trace.split('\n').filter((line) => /^\s+at /.test(line));
  const stack = [`${type}: ${message}`, ...frames].join('\n');
  return { type, ...(typeof code === 'string' && { code }), message, stack };
}

/** A value in a message of PostgreSQL; names, such as `constraint "name"`, have no colon before them. */
const quotedValue = /(: |\bvalue )".*"/s;
