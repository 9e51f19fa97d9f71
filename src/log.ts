import pino, { type Logger } from 'pino';

/**
 * Creates the service's logger: JSON lines, or readable lines on a terminal.
 *
 * @param level the least severe level that is logged
 * @param terminal whether it writes to a terminal
 */
export async function createLogger(level: string, terminal: boolean): Promise<Logger> {
  const options = { level, redact: ['req.headers.authorization', 'req.headers.cookie'] };
  if (!terminal) return pino(options);
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,reqId,method,path,status,ms',
    // Requests are logged on one line; other entries show their details below it.
    messageFormat: (line, key) =>
      typeof line.method === 'string'
        ? `${line.method} ${String(line.path)} ${String(line.status)} ${String(line.ms)} ms`
        : String(line[key]),
    sync: true,
  });
  return pino(options, stream);
}
