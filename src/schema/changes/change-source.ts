import type { Context } from '../../context.ts';
import type { LoggedChange } from '../../events/log.ts';
import { decodePosition, type Position } from '../../events/position.ts';
import { ChangeView, type LoggedType, type VisibleChange } from './change-view.ts';
import type { ListedChange } from './listed.ts';

/** A change that subscriptions are sent, and the position to continue from after it. */
export interface PositionedChange {
  readonly change: ListedChange;
  readonly position: string;
}

/**
 * The source of a subscription's changes. `LogStreams` reads the log for many subscriptions at once and executes each
 * for every change, so this is not the stream that GraphQL usually expects here.
 */
export class ChangeSource implements AsyncIterable<PositionedChange> {
  readonly after: Position | undefined;

  /**
   * @param types the rows whose changes are sent
   * @param list chooses those that are sent among all that the caller could see
   * @param after the position after which they are sent; from now on without one
   */
  constructor(
    private readonly types: readonly LoggedType[],
    private readonly list: (changes: readonly VisibleChange[]) => ListedChange[],
    after: string | null | undefined,
  ) {
    this.after = after == null ? undefined : decodePosition(after, 'after');
  }

  /** Chooses among changes of the log those that a caller may be sent. */
  async choose(changes: readonly LoggedChange[], context: Context): Promise<ListedChange[]> {
    // As they were: rows are read as they are now, and no images are sent.
    return this.list(await new ChangeView(this.types, context).projectAsWere(changes));
  }

  [Symbol.asyncIterator](): never {
    throw new Error('Subscriptions are run together: see src/graphql/subscriptions.ts.');
  }
}
