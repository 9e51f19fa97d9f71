import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { runFor } from '../../database/index.ts';
import { conflict, ServiceError, validationError } from '../../errors.ts';
import { accessError } from '../access.ts';
import { deleteCompany, deletionTimeoutMs } from '../company-deletion.ts';
import { exportTimeoutMs, exportToStream } from '../company-export.ts';
import { recordSecurityEvent } from '../security-log.ts';
import { countAttempt, exportLimits, limitAttempts, passwordChangeLimits } from './brute-force.ts';
import { verifyPassword } from './passwords.ts';
import { findMainCompanyId } from './people.ts';
import { actorOf, parseBody, type Serve, text } from './serve.ts';
import type { Session, SessionDependencies, Sessions } from './sessions.ts';

/** How long (ms) after signing in a person without a password may delete a company. */
const reauthenticationMs = 600_000;

/** A session of an admin, and the company that it works on or whose sandbox it works on. */
interface AdminSession extends Session {
  readonly mainCompanyId: string;
}

/** Serves exporting and deleting the company, for its admins. */
export function serveCompany(serve: Serve, dependencies: SessionDependencies, sessions: Sessions): void {
  const { database, limiter } = dependencies;
  const { prisma } = database;
  // Each holds a transaction for long, and there are few connections for that.
  let isBusy = false;

  serve(
    'GET',
    '/company/export',
    async (request, reply) => {
      const { personId, mainCompanyId } = await requireAdmin(request, reply);
      await countAttempt(limiter, exportLimits(mainCompanyId), reply);
      const { slug } = await prisma.company.findUniqueOrThrow({ where: { id: mainCompanyId }, select: { slug: true } });
      const actor = actorOf(request, personId);
      await recordSecurityEvent(prisma, { action: 'company_exported', actor, companyId: mainCompanyId });
      const { content, size } = await alone(request, mainCompanyId, () => exportToStream(database, mainCompanyId));
      const name = `${slug}-${new Date().toISOString().slice(0, 10)}.zip`;
      return reply
        .headers({ 'content-disposition': `attachment; filename="${name}"`, 'content-length': size })
        .type('application/zip')
        .send(content);
    },
    { deadlineMs: exportTimeoutMs },
  );

  serve(
    'POST',
    '/company/deletion',
    async (request, reply) => {
      const session = await requireAdmin(request, reply);
      const { personId, mainCompanyId } = session;
      const body = parseBody(z.strictObject({ slug: text, password: text.optional() }), request.body);
      const company = { where: { id: mainCompanyId }, select: { slug: true } };
      const { slug } = await prisma.company.findUniqueOrThrow(company);
      if (body.slug.trim() !== slug) throw validationError({ slug: "must be the company's short name" });
      await confirm(session, body.password, reply);
      await alone(request, mainCompanyId, () => deleteCompany(database, mainCompanyId, actorOf(request, personId)));
      // What is left for the operator; the security log of the company is gone.
      request.log.warn({ company: mainCompanyId, slug, user: personId }, 'company deleted');
      return reply.status(204).send();
    },
    { deadlineMs: deletionTimeoutMs },
  );

  async function requireAdmin(request: FastifyRequest, reply: FastifyReply): Promise<AdminSession> {
    const session = await sessions.find(request, reply);
    if (!session?.companyId) throw accessError({ kind: 'guest' }, 'session');
    if (session.role !== 'ADMIN') throw new ServiceError('FORBIDDEN', 'Only admins of the company can do this.');
    return { ...session, mainCompanyId: await findMainCompanyId(prisma, session.companyId) };
  }

  /** @throws ServiceError VALIDATION_ERROR for a wrong password, REAUTHENTICATION_REQUIRED for an old sign-in without one */
  async function confirm({ personId, createdAt }: Session, password: string | undefined, reply: FastifyReply) {
    const isConfirmed = await limitAttempts(limiter, passwordChangeLimits(personId), reply, async () => {
      const result = await verifyPassword(prisma, personId, password ?? '');
      return (result ?? Date.now() - createdAt.getTime() < reauthenticationMs) || (result === undefined ? 'old' : null);
    });
    if (isConfirmed === 'old')
      throw new ServiceError(
        'REAUTHENTICATION_REQUIRED',
        'You signed in some time ago. Sign in again to delete the company.',
      );
    if (!isConfirmed) throw validationError({ password: password === undefined ? 'is required' : 'is incorrect' });
  }

  /** Runs work that takes long, one at a time, on the connections of the service's own work. */
  async function alone<T>({ id }: FastifyRequest, companyId: string, work: () => Promise<T>): Promise<T> {
    if (isBusy) throw conflict('Another company is being exported or deleted; try again in a few minutes.');
    isBusy = true;
    try {
      return await runFor({ company: companyId, caller: id, isPatient: true }, work);
    } finally {
      isBusy = false;
    }
  }
}
