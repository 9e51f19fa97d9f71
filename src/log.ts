import pino, { type Logger } from 'pino';

/**
 * Makes the service's log: lines of JSON, or on a terminal lines to read.
 *
 * @param level the least severe level that is logged
 * @param terminal whether people read along
 */
export async function createLogger(level: string, terminal: boolean): Promise<Logger> {
  const options = { level, redact: ['req.headers.authorization', 'req.headers.cookie'] };
  if (!terminal) return pino(options);
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,reqId,method,path,status,ms',
    // What was answered goes on one line; all else keeps its details below it.
    messageFormat: (line, key) =>
      typeof line.method === 'string'
        ? `${line.method} ${String(line.path)} ${String(line.status)} ${String(line.ms)} ms`
        : String(line[key]),
    sync: true,
  });
  return pino(options, stream);
}
