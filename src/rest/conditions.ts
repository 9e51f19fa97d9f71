import type { FastifyRequest } from 'fastify';
import { badRequest } from '../errors.ts';

const tag = String.raw`(W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
/** The syntax of `If-Match`. */
export const conditionPattern = String.raw`^(\*|${tag}(\s*,\s*${tag})*)$`;
const conditionForm = new RegExp(conditionPattern);

/** Reads `If-Match`, which the kit evaluates; undefined without one. @throws ServiceError BAD_REQUEST */
export function ifMatchOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['if-match'];
  if (given !== undefined && !conditionForm.test(given))
    throw badRequest('If-Match: must be * or quoted ETags separated by commas');
  return given;
}

/** How long (s) a client may prefer to wait: less than proxies do. */
export const maxWaitSeconds = 55;

/** `Prefer: wait=30` (RFC 7240): for how long (s) a client waits for news, at most 55; 0 without it. */
export function preferredWait({ headers }: FastifyRequest): number {
  const [, , seconds = '0'] =
    /(^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*($|[,;])/i.exec(String(headers['prefer'] ?? '')) ?? [];
  return Math.min(Number(seconds), maxWaitSeconds);
}

/** `Prefer: return=representation` (RFC 7240) asks for the whole resource. */
export const prefersRepresentation = ({ headers }: FastifyRequest): boolean =>
  /(^|,)\s*return\s*=\s*"?representation"?\s*($|[,;])/i.test(String(headers['prefer'] ?? ''));

/** `Prefer: handling=lenient` (RFC 7240) asks to do what can be done where something is refused. */
export const prefersLenient = ({ headers }: FastifyRequest): boolean =>
  /(^|,)\s*handling\s*=\s*"?lenient"?\s*($|[,;])/i.test(String(headers['prefer'] ?? ''));
