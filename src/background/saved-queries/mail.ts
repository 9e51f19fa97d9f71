import { UnsubscribeTokens } from '../../auth/unsubscribe.ts';
import type { Context } from '../../context.ts';
import { runFor } from '../../database/index.ts';
import { type ErrorCode, publicError, ServiceError } from '../../errors.ts';
import { createTableReader, type ReadAs } from '../../graphql/read-as.ts';
import { csvType } from '../../http/csv.ts';
import { openTable, sheetType } from '../../http/send-table.ts';
import { defineJob, GiveUp, type JobRun } from '../../jobs/index.ts';
import { parseJson } from '../../json.ts';
import { findSender, type MailAttachment, mailPauses } from '../../mail/index.ts';
import { rowAddress } from '../../names.ts';
import type { Api } from '../../resource/index.ts';
import { getOrCreate } from '../../resource/index.ts';
import { deliveryOf } from '../../schema/notifications/kinds.ts';
import { reportProblem } from './problem.ts';

/** The most bytes of an attached table, and of its pages. */
const maxBytes = 5_000_000;
const maxPages = 200;

/** What notifications of this kind are called where people choose what they are sent. */
const kind = 'scheduled_query';

/** The errors of what a recipient may not read, who gets nothing then, and of what may pass. */
const refusals: readonly ErrorCode[] = ['INSUFFICIENT_SCOPE', 'FORBIDDEN', 'REAUTHENTICATION_REQUIRED'];
const passing: readonly ErrorCode[] = ['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR', 'RATE_LIMITED', 'REQUEST_TIMEOUT'];

const readers = new WeakMap<Api, ReadAs>();

type Payload = { readonly savedQueryId: string };

/**
 * Emails the answer to a saved query to one person, as they may read it at that moment: whoever has left, stopped such
 * email, or may not read it gets nothing. What is wrong with the query itself its owner is told, once.
 */
export const savedQueryMail = defineJob<Payload>({
  kind: 'saved-query-mail',
  pauses: mailPauses,
  slots: 2,
  leaseSeconds: 120,
  async run({ savedQueryId }, job) {
    const { id, companyId, database, mailer } = job;
    const context = await job.context();
    const schedule = context && (await findSchedule(savedQueryId, context, job));
    const addressee = context && (await findAddressee(context, job));
    const sender = await findSender(database.prisma, companyId);
    if (!schedule || !addressee || !sender) return;
    const { name } = schedule.savedQuery;
    let attachment: MailAttachment;
    try {
      attachment = await attach(schedule, addressee.company.timeZone, job);
    } catch (error) {
      if (job.signal.aborted) throw error;
      const { code, message } = publicError(error);
      if (refusals.includes(code)) return;
      if (passing.includes(code)) throw error;
      await reportProblem(job, savedQueryId, message);
      return;
    }
    const { slug } = addressee.company;
    const token = await new UnsubscribeTokens(database).sign({ companyId, userId: addressee.id, kinds: [kind] });
    const unsubscribe = `unsubscribe?token=${encodeURIComponent(token)}`;
    const result = await mailer.sendOnce(sender, {
      id,
      to: addressee.email,
      subject: name,
      paragraphs: [`The answer to "${name}" at ${sender.companyName} is attached, as you may read it.`],
      link: { label: 'Open the query', path: rowAddress(slug, 'saved-queries', savedQueryId) },
      footer: [
        { label: 'Stop emails of this kind: Scheduled query', path: `/${unsubscribe}` },
        { label: 'Choose what you are notified of', path: `/notifications?company=${slug}#preferences` },
      ],
      unsubscribePath: `/auth/${unsubscribe}`,
      attachments: [attachment],
    });
    if (result === 'refused') throw new GiveUp('The mail server refuses the message.');
    if (result === 'failed') throw new Error('The mail server did not accept the message.');
  },
  async onGivenUp({ savedQueryId }, job) {
    await reportProblem(job, savedQueryId, 'It could not be read or sent to one of its recipients.');
  },
});

type Schedule = NonNullable<Awaited<ReturnType<typeof findSchedule>>>;

/** The schedule, if the person is still one of its recipients and may see the query. */
async function findSchedule(savedQueryId: string, { caller: { userId } }: Context, { companyId, database }: JobRun) {
  const found = await database.prisma.savedQuerySchedule.findUnique({
    where: { companyId_savedQueryId: { companyId, savedQueryId } },
    select: {
      format: true,
      userIds: true,
      savedQuery: {
        select: {
          name: true,
          query: true,
          variables: true,
          isShared: true,
          userId: true,
          user: { select: { deactivatedAt: true } },
        },
      },
    },
  });
  if (!found?.userIds.includes(userId) || found.savedQuery.user.deactivatedAt) return undefined;
  return found.savedQuery.isShared || found.savedQuery.userId === userId ? found : undefined;
}

/** The person, if they want such email. */
async function findAddressee({ caller: { userId: id } }: Context, { companyId, database }: JobRun) {
  const found = await database.prisma.user.findUnique({
    where: { companyId_id: { companyId, id } },
    select: {
      id: true,
      email: true,
      company: { select: { slug: true, timeZone: true } },
      notificationPreferences: { where: { kind }, select: { kind: true, delivery: true } },
    },
  });
  return found && deliveryOf(kind, found.notificationPreferences) === 'email' ? found : undefined;
}

/** Reads the answer as its recipient may read it. @throws ServiceError */
async function attach(
  { format, savedQuery: { name, query, variables } }: Schedule,
  timeZone: string,
  job: JobRun,
): Promise<MailAttachment> {
  const { api, companyId, id, signal } = job;
  const read = getOrCreate(readers, api, createTableReader);
  const requester = { company: companyId, caller: `job:${id}`, isLongRunning: true, signal };
  let pages = 0;
  // Of each page, as people may lose their rights meanwhile.
  const contextOf = async () => {
    signal.throwIfAborted();
    const context = await job.context();
    if (!context) throw new ServiceError('FORBIDDEN', 'The account is deactivated.');
    if (++pages > maxPages) throw tooLarge(`${maxPages * 100} rows`);
    return context;
  };
  const type = format === 'xlsx' ? sheetType : csvType;
  return runFor(requester, async () => {
    const given = { query, ...(variables && { variables: parseJson(variables) as Record<string, unknown> }) };
    const table = await read(given, contextOf);
    const chunks: Buffer[] = [];
    let bytes = 0;
    // The mark tells spreadsheets that CSV is UTF-8.
    const content = await openTable(table, type, { timeZone, dialect: { bom: true } }, async () => {});
    for await (const chunk of content) {
      const buffer = Buffer.from(chunk as Buffer | string);
      bytes += buffer.length;
      if (bytes > maxBytes) throw tooLarge(`${maxBytes / 1_000_000} MB`);
      chunks.push(buffer);
    }
    return { filename: fileName(name, format), contentType: type, content: Buffer.concat(chunks) };
  });
}

const tooLarge = (size: string) =>
  new ServiceError('BAD_REQUEST', `The answer has more than ${size}, which is the most that is sent by email.`);

/** The name of an attachment, without what file systems do not take. */
const fileName = (name: string, ending: string) =>
  `${name
    .replace(/[\p{Cc}\s/\\:*?"<>|]+/gu, ' ')
    .trim()
    .slice(0, 100)}.${ending}`;
