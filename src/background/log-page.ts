import { isAfter } from '../events/change-notifier.ts';
import type { LogPage, LogQuery, Unread } from '../events/log.ts';
import { decodePosition } from '../events/position.ts';

/** How many changes of the log are read at once. */
const pageSize = 100;

/**
 * A page of the log of a company for all that read it in one turn. It is read once, by whoever is the first to ask,
 * after the least position, and has for each what follows its own. Who is beyond its end gets a page of its own.
 */
export class SharedPage {
  private readonly least: Unread;
  private readonly others: readonly Unread[];
  private reading: Promise<LogPage> | undefined;

  /**
   * @param readers what each has not read; not empty
   * @param read reads a page
   */
  constructor(
    readers: readonly Unread[],
    private readonly read: (query: LogQuery) => Promise<LogPage>,
  ) {
    const [least, ...others] = readers.toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
    if (!least) throw new Error('Nobody reads the page.');
    this.least = least;
    this.others = others;
  }

  /** The changes for one that reads. */
  async of(reader: Unread): Promise<LogPage> {
    const isFirst = !this.reading;
    this.reading ??= this.readFor(this.least, this.others);
    // Where the transaction of whoever reads it fails, no other one is held up.
    const page = isFirst ? await this.reading : await this.reading.catch(() => undefined);
    return page && this.serves(page, reader) ? partOf(page, reader) : this.readFor(reader);
  }

  /** Whether a page has something for one, or it is as far as the one after whose position it was read. */
  private serves({ next }: LogPage, reader: Unread): boolean {
    return !isBefore(this.least, reader) || isBefore(reader, { after: decodePosition(next, 'next') });
  }

  private readFor({ after, tables }: Unread, others: readonly Unread[] = []): Promise<LogPage> {
    return this.read({ after, tables, others, limit: pageSize });
  }
}

const isBefore = ({ after }: Pick<Unread, 'after'>, { after: other }: Pick<Unread, 'after'>): boolean =>
  other !== undefined && (after === undefined || isAfter(other, after));

/** The changes of a page that one has not read. */
const partOf = (page: LogPage, { after, tables }: Unread): LogPage => ({
  ...page,
  changes: page.changes.filter((change) => tables.includes(change.table) && (!after || isAfter(change, after))),
});
