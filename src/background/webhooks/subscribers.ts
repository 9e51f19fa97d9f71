import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import type { Database } from '../../database/index.ts';
import type { Reader } from '../../database/read/reader.ts';
import { isAfter } from '../../events/change-notifier.ts';
import type { LoggedChange, StoredRow } from '../../events/log.ts';
import { decodePosition, type Position } from '../../events/position.ts';
import { type Filterable, matchStored } from '../../resource/index.ts';
import { ChangeView, imagesOf, type LoggedType, type VisibleChange } from '../../schema/changes/change-view.ts';
import { MatchedImages } from '../../schema/changes/matched-images.ts';
import { compileFilter, type RowFilter } from '../../schema/webhooks/filter.ts';
import { ownerContext } from '../owner.ts';
import { eventOf, type MessageDependencies, typesOf } from './message.ts';
import type { NewMessage, Subscription } from './subscriptions.ts';

/** The most characters of filters that one statement applies. */
const maxFilterLength = 20_000;

/** A webhook that the log is read for. */
export interface Subscriber extends Subscription {
  /** Its position. */
  readonly after: Position;
  /** What its owner may see of the resources that it is about. */
  readonly view: SharedView;
  readonly match?: RowFilter;
}

/** Changes as an owner may see them, each projected once for all webhooks of the owner with the same resources. */
class SharedView {
  private readonly projected = new Map<LoggedChange, VisibleChange | undefined>();

  constructor(
    readonly context: Context,
    readonly types: readonly LoggedType[],
    private readonly view = new ChangeView(types, context),
  ) {}

  /** The tables whose changes the owner may see. */
  get tables(): readonly string[] {
    return this.view.tables;
  }

  /** What is to be known of changes before the parts of them that the owner may see are known. */
  questions(changes: readonly LoggedChange[]) {
    return this.view.questions(imagesOf(changes));
  }

  /** The part of a change that the owner may see. */
  project(logged: LoggedChange, matched: MatchedImages): VisibleChange | undefined {
    if (!this.projected.has(logged)) this.projected.set(logged, this.view.project(logged, matched));
    return this.projected.get(logged);
  }
}

/** The views of a turn. */
export class SharedViews {
  private readonly views = new Map<string, SharedView>();

  /** @param types those whose changes webhooks can get */
  constructor(
    private readonly database: Database,
    private readonly api: MessageDependencies['api'],
    private readonly types: readonly LoggedType[],
  ) {}

  /** The view of a webhook. */
  of(subscription: Subscription): SharedView {
    const key = JSON.stringify([subscription.userId, subscription.resources]);
    let view = this.views.get(key);
    if (!view) {
      const context = ownerContext(this.database, this.api, subscription, subscription.id);
      view = new SharedView(context, typesOf(subscription, this.types));
      this.views.set(key, view);
    }
    return view;
  }
}

/** A webhook with what the log is read with; or why it cannot be read for. */
export function createSubscriber(
  subscription: Subscription,
  views: SharedViews,
  api: MessageDependencies['api'],
): Subscriber | { readonly problem: string } {
  const view = views.of(subscription);
  const subscriber = { ...subscription, after: decodePosition(subscription.position, 'position'), view };
  if (subscription.filter === null) return subscriber;
  const [rowType] = view.types;
  const compiled = rowType
    ? compileFilter(subscription.filter, rowType, api.schema, api, view.context)
    : { problem: 'requires one resource' };
  return 'problem' in compiled
    ? { problem: `Its filter ${compiled.problem}` }
    : { ...subscriber, match: compiled.filter };
}

/** A change that the owner of a webhook may know, as the log has it and as they see it. */
interface Candidate {
  readonly subscriber: Subscriber;
  readonly change: VisibleChange;
  /** The row after the change; for a deleted or no longer visible row, before it. */
  readonly row: StoredRow;
}

/**
 * Chooses the changes that each webhook of a company is sent.
 *
 * @param changes those after the position of at least one
 * @param reader of the whole company: each owner has row filters of their own
 */
export async function chooseChanges(
  subscribers: readonly Subscriber[],
  changes: readonly LoggedChange[],
  reader: Reader,
): Promise<NewMessage[]> {
  const candidates: Candidate[] = [];
  const views = new Set(subscribers.map(({ view }) => view));
  const matched = await MatchedImages.find(
    [...views].flatMap((view) => view.questions(changes)),
    reader,
  );
  for (const subscriber of subscribers) {
    candidates.push(...candidatesOf(subscriber, changes, matched));
    // A page for many webhooks takes some milliseconds, in which requests would wait.
    await yieldTurn();
  }
  const matching = await applyFilters(candidates, reader);
  return candidates
    .filter((candidate) => !candidate.subscriber.match || matching.has(candidate))
    .map(({ subscriber: { id }, change: { rowId, xid, seq, ...change } }) => {
      return { webhookId: id, event: eventOf(change), rowId, xid, seq };
    });
}

function candidatesOf(subscriber: Subscriber, changes: readonly LoggedChange[], matched: MatchedImages): Candidate[] {
  const { after, view, actions } = subscriber;
  return changes.flatMap((logged) => {
    const change = isAfter(logged, after) ? view.project(logged, matched) : undefined;
    if (!change || (actions.length > 0 && !actions.includes(change.action))) return [];
    return [{ subscriber, change, row: (change.after ? logged.after : logged.before) ?? {} }];
  });
}

/** Finds those that match the filter of their webhook, in one statement for each resource unless filters are long. */
async function applyFilters(candidates: readonly Candidate[], reader: Reader) {
  const matching = new Set<Candidate>();
  for (const { rows, filters } of batchesOf(candidates)) {
    const those = candidates.filter(({ subscriber }) => filters.has(subscriber));
    const images = [...new Set(those.map(({ row }) => row))];
    const places = new Map(images.map((image, place) => [image, place]));
    // Rows that a filter compares with are those that the owner of its webhook can access.
    const conditions = [...filters].map(([{ view }, { where }]) => {
      return { where: where(), filterOf: view.context.reader.access.filterOf };
    });
    const found = await matchStored(rows, images, conditions, reader);
    const matched = new Map([...filters.keys()].map((subscriber, n) => [subscriber, found[n]]));
    for (const candidate of those) {
      const place = places.get(candidate.row);
      if (place !== undefined && matched.get(candidate.subscriber)?.has(place)) matching.add(candidate);
    }
  }
  return matching;
}

/** Filters that one statement applies, by their webhook. */
interface FilterBatch {
  readonly rows: Filterable;
  readonly filters: Map<Subscriber, RowFilter>;
  /** The number of their characters. */
  length: number;
}

function batchesOf(candidates: readonly Candidate[]): FilterBatch[] {
  const batches: FilterBatch[] = [];
  for (const subscriber of new Set(candidates.map((candidate) => candidate.subscriber))) {
    const { match, filter } = subscriber;
    if (!match || filter === null) continue;
    const fits = ({ rows, length }: FilterBatch) => rows === match.rows && length + filter.length <= maxFilterLength;
    let batch = batches.find(fits);
    if (!batch) batches.push((batch = { rows: match.rows, filters: new Map(), length: 0 }));
    batch.filters.set(subscriber, match);
    batch.length += filter.length;
  }
  return batches;
}
