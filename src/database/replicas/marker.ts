import type pg from 'pg';
import { currentRequester } from '../requester.ts';
import { everybody, type LogPlace, type WriteMarks } from './marks.ts';
import type { Primary } from './primary.ts';
import type { Written } from './written.ts';

/** Where the commit of a client took place. */
const askPlace = {
  text: `SELECT ('x' || "left"(pg_walfile_name(lsn), 8))::bit(32)::bigint::float8 AS timeline, (lsn - '0/0')::float8 AS lsn
         FROM pg_current_wal_insert_lsn() AS lsn`,
  name: 'premises_place',
};

/** Marks writes, so that whoever reads on a replica knows which ones it must have. */
export class WriteMarker {
  constructor(
    private readonly primary: Primary,
    private readonly marks: WriteMarks | undefined,
  ) {}

  /**
   * Commits what a client has written, or is about to write, between a mark and its place.
   *
   * @param written whose rows it writes
   * @param commit sends the commit
   * @param isUndone whether an error means that nothing was committed
   */
  async around<T>(
    client: pg.ClientBase,
    written: Written,
    commit: () => Promise<T>,
    isUndone: (error: unknown) => boolean,
  ): Promise<T> {
    const keeper = written === 'nothing' || written === 'unread' ? undefined : await this.primary.keeperForWrite();
    if (keeper === undefined || !this.marks) return commit();
    const mark = await this.marks.begin(keeper, [this.writerOf(written)]);
    if (!mark) {
      await this.primary.sendEverybody();
      return commit();
    }
    const end = (place?: LogPlace) => void this.marks?.end(keeper, mark, place).catch(() => {}); // A reader settles it.
    const committing = commit();
    const placing = client.query<{ timeline: number; lsn: number }>(askPlace).catch(() => undefined);
    try {
      const [result, placed] = await Promise.all([committing, placing]);
      const [place] = placed?.rows ?? [];
      if (place) end(place);
      return result;
    } catch (error) {
      // A client that is given back must not answer any more.
      await placing;
      if (isUndone(error)) end();
      throw error;
    }
  }

  /** The company of the current work, if its rows are written for it alone. */
  private writerOf(written: Written): string {
    return (written === 'company' && currentRequester()?.company) || everybody;
  }
}
