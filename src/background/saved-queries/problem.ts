import type { Database } from '../../database/index.ts';
import { shorten } from '../../errors.ts';
import { addJob, defineJob, GiveUp } from '../../jobs/index.ts';
import { findSender, mailPauses } from '../../mail/index.ts';
import { rowAddress } from '../../names.ts';

/** The most characters of what is wrong with a query. */
const maxLength = 500;

/** Emails the owner of a saved query why it is not sent. */
export const queryProblemMail = defineJob<{ readonly savedQueryId: string }>({
  kind: 'saved-query-problem',
  pauses: mailPauses,
  async run({ savedQueryId }, { id, companyId, database: { prisma }, mailer }) {
    const found = await prisma.savedQuerySchedule.findUnique({
      where: { companyId_savedQueryId: { companyId, savedQueryId } },
      select: {
        problem: true,
        savedQuery: { select: { name: true, user: { select: { email: true, deactivatedAt: true } } } },
        company: { select: { slug: true } },
      },
    });
    // Whoever has changed the query or its schedule meanwhile knows.
    if (!found || found.problem === null || found.savedQuery.user.deactivatedAt) return;
    const sender = await findSender(prisma, companyId);
    if (!sender) return;
    const { name, user } = found.savedQuery;
    const result = await mailer.sendOnce(sender, {
      id,
      to: user.email,
      subject: `Scheduled query not sent: ${name}`,
      paragraphs: [
        `The answer to "${name}" at ${sender.companyName} could not be sent by email.`,
        found.problem,
        'You are not told again until you save the query or its schedule.',
      ],
      link: { label: 'Open the query', path: rowAddress(found.company.slug, 'saved-queries', savedQueryId) },
    });
    if (result === 'refused') throw new GiveUp('The mail server refuses the message.');
    if (result === 'failed') throw new Error('The mail server did not accept the message.');
  },
});

/** Keeps why a query could not be sent, and tells its owner, unless they were told of an earlier problem. */
export async function reportProblem(
  { companyId, database: { prisma, transaction } }: { readonly companyId: string; readonly database: Database },
  savedQueryId: string,
  problem: string,
): Promise<void> {
  await transaction(async () => {
    const count = await prisma.$executeRaw`
      UPDATE saved_query_schedules SET problem = ${shorten(problem, maxLength)}
      WHERE company_id = ${companyId}::uuid AND saved_query_id = ${savedQueryId}::uuid AND problem IS NULL`;
    if (count > 0) await addJob(prisma, queryProblemMail, { companyId, payload: { savedQueryId } });
  });
}
