import { type Database, wholeCompany } from '../../database/index.ts';
import { isAfter, type LogPosition } from '../../events/change-notifier.ts';
import type { LogPage } from '../../events/log.ts';
import { decodePosition, encodePosition } from '../../events/position.ts';
import { type Api, getOrCreate } from '../../resource/index.ts';
import { ChangeView, imagesOf, type LoggedType } from '../../schema/changes/change-view.ts';
import { MatchedImages } from '../../schema/changes/matched-images.ts';
import { eventsOf, watchedTables } from '../../schema/notifications/events.ts';
import type { TurnEnd } from '../company-turns.ts';
import { type LogPart, type LogReader, lockLog } from '../log-turns.ts';
import { ownerContext } from '../owner.ts';
import { findRecipients, type Recipient } from './recipients.ts';
import { movePosition, storeNotifications } from './store.ts';

/** About how many people are notified of the changes of a page. */
const maxRecipients = 1000;

/** What the reader depends on. */
interface NotificationReaderDependencies {
  readonly database: Database;
  /** The API whose rows people are notified of. */
  readonly api: Pick<Api, 'storage'>;
  /** Whether email is sent. */
  readonly isMailEnabled: boolean;
}

/** A company whose log is read, and the position up to which it was read. */
interface Followed {
  readonly companyId: string;
  /** Null before anything was read, and of a new company. */
  readonly position: string | null;
  readonly timeZone: string;
  readonly isSandbox: boolean;
}

/** Reads the log for notifications, and stores them. */
export class NotificationLogReader implements LogReader {
  readonly name = 'notifications';
  readonly looks = 4;

  /**
   * @param types those whose changes people are notified of
   * @param onStored called with the people of a company who were notified
   */
  constructor(
    private readonly dependencies: NotificationReaderDependencies,
    private readonly types: readonly LoggedType[],
    private readonly onStored: (companyId: string, userIds: readonly string[]) => void,
  ) {}

  findPositions(companyIds: readonly string[]) {
    return this.find(companyIds);
  }

  async findPart(companyId: string, newest: LogPosition): Promise<LogPart | TurnEnd> {
    const [company] = await this.find([companyId]);
    if (!company) return 'done';
    const after = company.position === null ? undefined : decodePosition(company.position, 'position');
    if (after && !isAfter(newest, after)) return 'done';
    return { after, tables: watchedTables, read: (page) => this.read(company, page) };
  }

  private async read(company: Followed, page: () => Promise<LogPage>): Promise<TurnEnd> {
    const { companyId } = company;
    let notified: readonly Recipient[] = [];
    const end = await lockLog(this.dependencies.database, this.name, companyId, async () => {
      const read = await this.readFor(company, await page());
      notified = read.recipients;
      return read.end;
    });
    if (notified.length > 0) this.onStored(companyId, [...new Set(notified.map(({ userId }) => userId))]);
    return end;
  }

  private find(companyIds: readonly string[]): Promise<Followed[]> {
    return this.dependencies.database.prisma.$queryRaw<Followed[]>`
      SELECT companies.id::text AS "companyId", position, time_zone AS "timeZone", sandbox_of_id IS NOT NULL AS "isSandbox"
      FROM companies LEFT JOIN notification_positions ON company_id = companies.id
      WHERE companies.id = ANY(${[...companyIds]}::uuid[])`;
  }

  /** Reads a page, or as much of it as `maxRecipients` allows. */
  private async readFor(company: Followed, page: LogPage): Promise<{ end: TurnEnd; recipients: readonly Recipient[] }> {
    const { database, isMailEnabled } = this.dependencies;
    const { prisma } = database;
    const { companyId, position, isSandbox } = company;
    const found = await findRecipients(prisma, companyId, page.changes.flatMap(eventsOf));
    // The first change that is left to the next page. One change alone has fewer recipients.
    const rest = found[maxRecipients]?.event.change;
    const read = rest
      ? found.slice(
          0,
          found.findIndex(({ event }) => event.change === rest),
        )
      : found;
    const last = rest && page.changes[page.changes.indexOf(rest) - 1];
    const { generation } = decodePosition(page.next, 'next');
    const next = last ? encodePosition({ generation, xid: last.xid, seq: last.seq }) : page.next;
    const recipients = await this.visible(company, read);
    if (!(await movePosition(prisma, companyId, { from: position, to: next }))) return { end: 'later', recipients: [] };
    await storeNotifications(prisma, companyId, recipients, { isMailed: isMailEnabled && !isSandbox });
    return { end: rest || page.hasMore ? 'more' : 'done', recipients };
  }

  /** Leaves out what people may not read. */
  private async visible({ companyId, timeZone }: Followed, recipients: readonly Recipient[]): Promise<Recipient[]> {
    const { database, api } = this.dependencies;
    const views = new Map<string, ChangeView>();
    const viewed = recipients.map((recipient) => {
      const { userId, role } = recipient;
      const context = () => ownerContext(database, api, { companyId, timeZone, userId, role }, companyId);
      return { recipient, view: getOrCreate(views, userId, () => new ChangeView(this.types, context())) };
    });
    const matched = await MatchedImages.find(
      viewed.flatMap(({ recipient, view }) => view.questions(imagesOf([recipient.event.change]))),
      database.readerOf(wholeCompany(companyId, api.storage.models)),
    );
    return viewed.flatMap(({ recipient, view }) => (view.project(recipient.event.change, matched) ? [recipient] : []));
  }
}
