import { findLatestPositions, isAfter } from '../../events/change-notifier.ts';
import { readPageOrEnd } from '../../events/follow.ts';
import type { LoggedChange, StoredRow } from '../../events/log.ts';
import { readOutOfOrderChanges } from '../../events/out-of-order.ts';
import { decodePosition } from '../../events/position.ts';
import { ChangeView, type LoggedType, type VisibleChange } from '../../schema/changes/change-view.ts';
import { compileFilter, type RowMatcher } from '../../schema/webhooks/filter.ts';
import { type Owner, ownerContext } from '../owner.ts';
import { eventOf, type MessageDependencies, typesOf } from './message.ts';
import { type SwitchOffDependencies, switchOff } from './switch-off.ts';

/** How many changes of the log are read at once. */
const pageSize = 100;

/** A webhook that is on, and its owner. */
interface Subscription extends Owner {
  readonly id: string;
  readonly position: string;
  readonly resources: readonly string[];
  readonly actions: readonly string[];
  readonly filter: string | null;
}

type Dependencies = MessageDependencies & SwitchOffDependencies;

/**
 * Reads the log for all webhooks with new changes, except those that another instance reads for, and stores their
 * messages. A failure of one webhook does not affect the others.
 *
 * @param types those whose changes webhooks can get
 * @param isStopped whether to read no further
 */
export async function readSubscriptions(
  dependencies: Dependencies,
  types: readonly LoggedType[],
  isStopped: () => boolean,
): Promise<void> {
  const { database, log } = dependencies;
  const subscriptions = await database.prisma.$queryRaw<Subscription[]>`
    SELECT webhooks.company_id::text AS "companyId", webhooks.id::text, webhooks.position, webhooks.resources,
           webhooks.actions, webhooks.filter, users.id::text AS "userId", upper(users.role::text) AS role,
           companies.time_zone AS "timeZone"
    FROM webhooks
    JOIN users ON users.company_id = webhooks.company_id AND users.id = webhooks.user_id AND users.deactivated_at IS NULL
    JOIN companies ON companies.id = webhooks.company_id
    WHERE webhooks.enabled`;
  if (subscriptions.length === 0) return;
  const latest = await findLatestPositions(database, [...new Set(subscriptions.map(({ companyId }) => companyId))]);
  for (const one of subscriptions) {
    if (isStopped()) return;
    const newest = latest.get(one.companyId);
    if (!newest) continue;
    try {
      // Positions from before a restore are read too, and refused there.
      if (isAfter(newest, decodePosition(one.position, 'position')))
        await readFor(dependencies, one, typesOf(one, types), isStopped);
    } catch (err) {
      log.warn({ err, webhook: one.id }, 'the log was not read for a webhook');
    }
  }
}

/** Reads the log for a webhook, unless another instance does, and stores its messages. */
async function readFor(
  dependencies: Dependencies,
  subscription: Subscription,
  types: readonly LoggedType[],
  isStopped: () => boolean,
): Promise<void> {
  const { database, api } = dependencies;
  const { prisma, transaction } = database;
  const { companyId, id, actions, filter } = subscription;
  const context = ownerContext(database, subscription, id);
  const view = new ChangeView(types, context);
  let match: RowMatcher | undefined;
  if (filter !== null) {
    const [rowType] = types;
    const compiled = rowType
      ? compileFilter(filter, rowType, api.schema, api, context)
      : { problem: 'requires one resource' };
    if ('problem' in compiled) return switchOff(dependencies, subscription, `Its filter ${compiled.problem}`);
    match = compiled.match;
  }
  for (let more = true; more && !isStopped(); )
    more = await transaction(async () => {
      const [locked] = await prisma.$queryRaw<{ position: string }[]>`
        SELECT position FROM webhooks
        WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid AND enabled FOR NO KEY UPDATE SKIP LOCKED`;
      if (!locked) return false;
      const after = decodePosition(locked.position, 'position');
      const page = await readPageOrEnd(prisma, { companyId }, { after, tables: view.tables, limit: pageSize });
      // Another instance may send what is written here before the next page is read.
      const outOfOrder = page.hasMore
        ? await readOutOfOrderChanges(prisma, { companyId }, page.changes, decodePosition(page.next, 'next'))
        : [];
      const visible = [...page.changes, ...outOfOrder]
        .map((logged) => ({ logged, change: view.project(logged) }))
        .filter((each): each is Chosen => each.change !== undefined)
        .filter(({ change: { action } }) => actions.length === 0 || actions.includes(action));
      const matching = match && (await match(visible.map(rowOf)));
      await prisma.webhookDelivery.createMany({
        data: visible
          .filter((_, place) => matching?.has(place) ?? true)
          .map(({ change: { rowId, xid, seq, ...change } }) => {
            return { companyId, webhookId: id, event: eventOf(change), rowId, xid: BigInt(xid), seq: BigInt(seq) };
          }),
        // Changes that were read out of order are read again with their own page.
        skipDuplicates: true,
      });
      await prisma.webhook.update({
        where: { companyId_id: { companyId, id } },
        data: { position: page.next },
        select: { id: true },
      });
      return page.hasMore;
    });
}

/** A change that the owner of a webhook may know, as the log has it and as they see it. */
interface Chosen {
  readonly logged: LoggedChange;
  readonly change: VisibleChange;
}

/** The row after the change; for a deleted or no longer visible row, before it. */
const rowOf = ({ logged, change }: Chosen): StoredRow => (change.after ? logged.after : logged.before) ?? {};
