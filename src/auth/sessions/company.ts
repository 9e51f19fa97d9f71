import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { runFor } from '../../database/index.ts';
import { conflict, ServiceError, validationError } from '../../errors.ts';
import { normalizeSlug } from '../../formats.ts';
import { csvType } from '../../http/csv.ts';
import { messages } from '../../input/index.ts';
import { accessError } from '../access.ts';
import { deleteCompany, deletionTimeoutMs } from '../company-deletion.ts';
import { exportTimeoutMs, exportToStream } from '../company-export.ts';
import { recordSecurityEvent } from '../security-log.ts';
import { securityFilter, securityLogCsv } from '../security-log-csv.ts';
import { countAttempt, exportLimits, limitAttempts, passwordChangeLimits, securityLogLimits } from './brute-force.ts';
import { verifyPassword } from './passwords.ts';
import { findMainCompanyId, findPerson } from './people.ts';
import { actorOf, parseBody, type Serve, text } from './serve.ts';
import type { Session, SessionDependencies, Sessions } from './sessions.ts';

/** How long (ms) after signing in a person can delete a company, if a password is not enough. */
const reauthenticationMs = 600_000;

/** A session of an admin, and the company that it works on or whose sandbox it works on. */
interface AdminSession extends Session {
  readonly mainCompanyId: string;
}

/** Serves exporting and deleting the company, and its security log as CSV, for its admins. */
export function serveCompany(serve: Serve, dependencies: SessionDependencies, sessions: Sessions): void {
  const { database, limiter } = dependencies;
  const { prisma } = database;
  // An export and a deletion each hold a transaction for long, and few connections serve such work.
  let isBusy = false;

  serve(
    'POST',
    '/company/export',
    async (request, reply) => {
      const { personId, mainCompanyId } = await requireAdmin(request, reply);
      parseBody(z.strictObject({}), request.body ?? {});
      const { slug } = await prisma.company.findUniqueOrThrow({ where: { id: mainCompanyId }, select: { slug: true } });
      const name = `${slug}-${new Date().toISOString().slice(0, 10)}.zip`;
      const headers = { 'content-type': 'application/zip', 'content-disposition': `attachment; filename="${name}"` };
      const { content, size } = await runAlone(request, mainCompanyId, async () => {
        await countAttempt(limiter, exportLimits(mainCompanyId), reply);
        const actor = actorOf(request, personId);
        await recordSecurityEvent(prisma, { action: 'company_exported', actor, companyId: mainCompanyId });
        return exportToStream(database, request.server.files, mainCompanyId, personId);
      });
      return reply.headers({ ...headers, 'content-length': size }).send(content);
    },
    { deadlineMs: exportTimeoutMs },
  );

  serve('POST', '/security-log', async (request, reply) => {
    const { mainCompanyId } = await requireAdmin(request, reply);
    const filter = parseBody(securityFilter, request.body ?? {});
    await countAttempt(limiter, securityLogLimits(mainCompanyId), reply);
    const csv = await securityLogCsv(prisma, mainCompanyId, filter);
    const name = `security-log-${new Date().toISOString().slice(0, 10)}.csv`;
    return reply
      .headers({ 'content-type': csvType, 'content-disposition': `attachment; filename="${name}"` })
      .send(csv);
  });

  serve(
    'POST',
    '/company/deletion',
    async (request, reply) => {
      const session = await requireAdmin(request, reply);
      const { personId, mainCompanyId } = session;
      const body = parseBody(z.strictObject({ slug: text, password: text.optional() }), request.body);
      const company = { where: { id: mainCompanyId }, select: { slug: true } };
      const { slug } = await prisma.company.findUniqueOrThrow(company);
      if (normalizeSlug(body.slug) !== slug) throw validationError({ slug: 'does not match the company' });
      await confirm(session, body.password, reply);
      await runAlone(request, mainCompanyId, () => deleteCompany(database, mainCompanyId, actorOf(request, personId)));
      // For operators, who may not read the security log.
      request.log.warn({ company: mainCompanyId, slug, user: personId }, 'company deleted');
      return reply.status(204).send();
    },
    { deadlineMs: deletionTimeoutMs },
  );

  async function requireAdmin(request: FastifyRequest, reply: FastifyReply): Promise<AdminSession> {
    const session = await sessions.find(request, reply);
    if (!session?.companyId) throw accessError({ kind: 'guest' }, 'session');
    if (session.role !== 'ADMIN') throw accessError({ kind: 'session' }, 'admin');
    return { ...session, mainCompanyId: await findMainCompanyId(prisma, session.companyId) };
  }

  /**
   * @throws ServiceError VALIDATION_ERROR for a wrong password, REAUTHENTICATION_REQUIRED if the sign-in is too old for
   * a person who has no password, or who has an authenticator app
   */
  async function confirm({ personId, createdAt }: Session, password: string | undefined, reply: FastifyReply) {
    const hasConfirmed = await limitAttempts(limiter, passwordChangeLimits(personId), reply, async () => {
      const isCorrect = await verifyPassword(prisma, personId, password ?? '');
      return isCorrect === undefined ? 'no password' : isCorrect || null;
    });
    if (!hasConfirmed) throw validationError({ password: password === undefined ? messages.required : 'is incorrect' });
    const { twoFactorEnabled } = await findPerson(prisma, personId);
    const isOld = Date.now() - createdAt.getTime() >= reauthenticationMs;
    if (isOld && (hasConfirmed === 'no password' || twoFactorEnabled))
      throw new ServiceError(
        'REAUTHENTICATION_REQUIRED',
        'You signed in too long ago. Sign in again to delete the company.',
      );
  }

  /** Runs work that takes long, one at a time, on the connections of the service's own work. */
  async function runAlone<T>({ id }: FastifyRequest, companyId: string, work: () => Promise<T>): Promise<T> {
    if (isBusy) throw conflict('Another company is being exported or deleted; try again in a few minutes.');
    isBusy = true;
    try {
      return await runFor({ company: companyId, caller: id, isLongRunning: true }, work);
    } finally {
      isBusy = false;
    }
  }
}
