import type { Context } from '../../context.ts';
import { lockRows, type Policy } from '../../resource/index.ts';
import { hasRule } from '../company-rules.ts';

/** The ids of the users who asked for a row; null where that is unknown. */
type Requesters = readonly (string | null | undefined)[];

/** A column that leads to who requested a row, besides its creator. */
type RequestColumn = 'requestedBy' | 'requisitionId' | 'purchaseOrderId';

/** A row that is approved or leads to it, as far as who requested it. */
interface Requested {
  readonly requestedBy?: string | null;
  readonly createdBy: string | null;
  readonly requisition?: Requested | null;
}

/** How rows are approved. */
interface Approval<Column extends RequestColumn, Field extends string, Status extends string> {
  /** The status by which they are approved. */
  readonly status: Status;
  /** The statuses before approval. With any other a row is decided: approved, or ended afterwards. */
  readonly undecided: readonly Status[];
  /** The fields that are approved. */
  readonly fields: readonly Field[];
  readonly column: Column;
  /** Finds who requested a row with this value of the column. */
  readonly findRequesters: (value: string | null | undefined, context: Context) => Requesters | Promise<Requesters>;
  /** The relation to the row that names them, where that is another one, and what is read of it. */
  readonly through?: { readonly relation: string; readonly select: object };
  /** Whether a row is decided whose requesters are those of this row. */
  readonly isReliedOn?: (id: string, context: Context) => Promise<boolean>;
}

/** A row, as far as its approval. */
type Approved = { readonly id: string; readonly status: string; readonly createdBy: string | null } & {
  readonly [Name in RequestColumn]?: string | null;
};

/**
 * Where the company separates approval: who requested a row neither approves it, nor changes what was approved in it,
 * nor deletes it then, nor removes themselves from its requesters. Once it is decided, nobody changes who requested it:
 * otherwise whoever approved it could become its requester afterwards, by anybody's hand.
 */
export const separateApproval = <
  const Column extends RequestColumn,
  const Field extends string,
  const Status extends string,
>({
  status,
  undecided,
  fields,
  column,
  findRequesters,
  through,
  isReliedOn,
}: Approval<Column, Field, Status>): Policy<Column | 'createdBy', Field, Status> => {
  const isDecided = (row: Approved) => !(undecided as readonly string[]).includes(row.status);
  const requestersOf = async (row: Approved, context: Context) => {
    // As `through` selects it, in a row that is read for its buttons.
    const found = through && (row as Approved & Readonly<Record<string, unknown>>)[through.relation];
    const known = found === undefined ? undefined : requestersIn(found as Requested | null);
    return [row.createdBy, ...(known ?? (await findRequesters(row[column], context)))];
  };

  async function refuseChange(previous: Approved, changes: Partial<Approved>, context: Context) {
    const approves = changes.status === status;
    const changesRequester = column in changes;
    const changesDecided = isDecided(previous) && fields.some((name) => name in changes);
    if (!approves && !changesRequester && !changesDecided) return undefined;
    if (!(await hasRule('separateApproval', context))) return undefined;
    if (changesRequester && (isDecided(previous) || (await isReliedOn?.(previous.id, context))))
      return 'Your company separates approval: who requested what is approved, ordered or invoiced cannot be changed.';
    // The creator of the row cannot be removed from its requesters.
    const leaves = changesRequester && previous.createdBy !== context.caller.userId;
    if (!approves && !leaves && !changesDecided) return undefined;
    const later = approves ? await findRequesters(changes[column], context) : [];
    return refuseRequester([...(await requestersOf(previous, context)), ...later], context);
  }

  async function refuseDeletion(previous: Approved, context: Context) {
    if (!isDecided(previous) || !(await hasRule('separateApproval', context))) return undefined;
    return refuseRequester(await requestersOf(previous, context), context);
  }

  return {
    except: [],
    columns: [column, 'createdBy'],
    fields,
    statuses: [status, ...undecided],
    ...(through && { reads: { [through.relation]: { select: through.select } } }),
    async refuseChanges({ action }, { context, previous, changes }) {
      // The compiler has checked that rows have these columns, as the policy names them.
      const row = previous as Approved | null;
      if (row) return action === 'delete' ? refuseDeletion(row, context) : refuseChange(row, changes, context);
      // Its creator requests a new row.
      const approves = changes['status'] === status && (await hasRule('separateApproval', context));
      return approves ? refuseRequester([context.caller.userId], context) : undefined;
    },
    describe: () => undefined,
    summarize: (action, _role, { statuses }) =>
      ({
        create: `with \`separateApproval\`, not as ${statuses([status])}`,
        update: 'with `separateApproval`, neither approval nor approved fields of what they requested',
        delete: 'with `separateApproval`, not what they requested once it is decided',
        read: undefined,
        restore: undefined,
      })[action],
  };
};

/** Why somebody who requested a row may not approve it, or change what was approved. */
const refuseRequester = (requesters: Requesters, { caller }: Context): string | undefined =>
  requesters.includes(caller.userId)
    ? 'Your company requires that somebody else approves what you requested.'
    : undefined;

/** Who requested a row, and what it came from. */
const requestersIn = (row: Requested | null | undefined): Requesters =>
  row ? [row.requestedBy, row.createdBy, ...requestersIn(row.requisition)] : [];

const requesters = { requestedBy: true, createdBy: true } as const;

/** Who requested an order: those of its requisition. */
export const throughRequisition = {
  through: { relation: 'requisition', select: requesters },
  /** Locks the requisition, so that this stays until the order is written. */
  async findRequesters(id: string | null | undefined, context: Context): Promise<Requesters> {
    if (id == null) return [];
    await lockRows('Requisition', [id], context);
    return requestersIn(await context.db.requisition.findFirst({ where: { id }, select: requesters }));
  },
};

/** Who requested an invoice: those of its order. */
export const throughOrder = {
  through: { relation: 'purchaseOrder', select: { createdBy: true, requisition: { select: requesters } } },
  /** Locks the order, so that this stays until the invoice is written. */
  async findRequesters(id: string | null | undefined, context: Context): Promise<Requesters> {
    if (id == null) return [];
    await lockRows('PurchaseOrder', [id], context);
    const select = { createdBy: true, requisitionId: true } as const;
    const order = await context.db.purchaseOrder.findFirst({ where: { id }, select });
    return [...requestersIn(order), ...(await throughRequisition.findRequesters(order?.requisitionId, context))];
  },
};

const invoicesAreDecided = { invoices: { some: { status: { not: 'PENDING' } } } } as const;

/** Whether an order of a requisition is sent, or an invoice of one is approved. */
export const isRequisitionReliedOn = async (requisitionId: string, { db }: Context): Promise<boolean> =>
  (await db.purchaseOrder.count({
    where: { requisitionId, OR: [{ status: { not: 'DRAFT' } }, invoicesAreDecided] },
  })) > 0;

/** Whether an invoice of an order is approved. */
export const isOrderReliedOn = async (id: string, { db }: Context): Promise<boolean> =>
  (await db.purchaseOrder.count({ where: { id, ...invoicesAreDecided } })) > 0;
