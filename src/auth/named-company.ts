// A page is about one company, and its session can have changed to another one meanwhile, in another tab. A request
// that names its company is refused then, so that it never writes into the other one. What was queued without a network
// names its person too: somebody else can have signed in since.
import type { FastifyRequest } from 'fastify';
import { badRequest, conflict } from '../errors.ts';
import { isUuid } from '../formats.ts';
import type { Caller } from './caller.ts';

/** The header by which a request names its company, as messages and documents spell it. */
export const companyHeader = 'Premises-Company';

/** The header by which a request names the person that it is of. */
export const personHeader = 'Premises-Person';

/** The id of the company that a request names; undefined for most requests. @throws ServiceError BAD_REQUEST */
export function namedCompany({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  return idIn(headers['premises-company'], 'must be the id of a company', companyHeader);
}

function idIn(named: string | string[] | undefined, problem: string, header: string): string | undefined {
  if (named === undefined) return undefined;
  if (typeof named !== 'string' || !isUuid(named)) throw badRequest(problem, header);
  return named.toLowerCase();
}

/**
 * Rejects a request that names another person than its caller.
 *
 * @throws ServiceError CONFLICT, BAD_REQUEST
 */
export function assertNamedPerson(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { userId }: { readonly userId: string | null },
): void {
  const named = idIn(headers['premises-person'], 'must be the id of a person', personHeader);
  if (named === undefined || named === userId) return;
  throw conflict(`Somebody else is signed in than ${personHeader} says. Nothing was done.`);
}

/**
 * Rejects a request that names another company than that of its caller.
 *
 * @param caller its company is null where a person is no longer a member of the one that they had selected
 * @throws ServiceError CONFLICT, BAD_REQUEST
 */
export function assertNamedCompany(
  request: Pick<FastifyRequest, 'headers'>,
  { kind, companyId }: { readonly kind: Caller['kind']; readonly companyId: string | null },
): void {
  const named = namedCompany(request);
  if (named === undefined || named === companyId) return;
  throw conflict(
    kind === 'token'
      ? `This token belongs to another company than ${companyHeader} says.`
      : `Another company is active in this browser than ${companyHeader} says. Switch to it and try again.`,
  );
}
