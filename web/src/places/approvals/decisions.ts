// What waits for a decision, of three resources, as one list.

import { write } from '../../console/Place.tsx';

/** A status that decides, with the key of its button's text. */
export type Decision = readonly [
  status: string,
  label: 'approve' | 'reject' | 'approveAndSend' | 'cancelOrder' | 'void',
];

/** A kind of rows that are decided. */
interface Kind {
  readonly type: 'Requisition' | 'PurchaseOrder' | 'Invoice';
  /** The key of the name of a row, such as "Requisition". */
  readonly label: 'requisition' | 'order' | 'invoice';
  /** The status of rows that wait, as filters have it. */
  readonly waits: string;
  /** The part of the list's query. */
  readonly list: string;
  readonly approve: Decision;
  readonly refuse: Decision;
}

/** How many rows of each kind are looked at, the oldest first. */
export const shownOfKind = 50;

const common = 'id createdAt etag allowedStatuses vendor { companyName } creator { fullName }';
const lines = 'lineItems { description quantity }';

/** The kinds, by the names of their lists in the query. */
export const kinds: Readonly<Record<string, Kind>> = {
  requisitions: {
    type: 'Requisition',
    label: 'requisition',
    waits: 'PENDING',
    list: `requisitions(first: ${shownOfKind}, filter: { status: { eq: PENDING } }, orderBy: [{ field: CREATED_AT }]) { totalCount nodes {
      ${common} title amount: totalAmount requester { fullName } ${lines} } }`,
    approve: ['APPROVED', 'approve'],
    refuse: ['REJECTED', 'reject'],
  },
  orders: {
    type: 'PurchaseOrder',
    label: 'order',
    waits: 'DRAFT',
    list: `orders: purchaseOrders(first: ${shownOfKind}, filter: { status: { eq: DRAFT } }, orderBy: [{ field: CREATED_AT }]) { totalCount nodes {
      ${common} title: number amount: totalAmount ${lines} } }`,
    approve: ['SENT', 'approveAndSend'],
    refuse: ['CANCELLED', 'cancelOrder'],
  },
  invoices: {
    type: 'Invoice',
    label: 'invoice',
    waits: 'PENDING',
    list: `invoices(first: ${shownOfKind}, filter: { status: { eq: PENDING } }, orderBy: [{ field: CREATED_AT }]) { totalCount nodes {
      ${common} title: invoiceNumber amount dueDate } }`,
    approve: ['APPROVED', 'approve'],
    refuse: ['VOID', 'void'],
  },
};

/** A row that waits. */
export interface Waiting {
  readonly id: string;
  readonly title: string | null;
  readonly createdAt: string;
  readonly etag: string;
  readonly amount: number | null;
  readonly dueDate?: string | null;
  readonly allowedStatuses: readonly string[];
  readonly vendor: { readonly companyName: string } | null;
  readonly creator: { readonly fullName: string } | null;
  readonly requester?: { readonly fullName: string } | null;
  readonly lineItems?: readonly { readonly description: string | null; readonly quantity: number | null }[];
}

/** Rows by the name of their list. */
export type Data = Readonly<Record<string, { readonly totalCount: number; readonly nodes: readonly Waiting[] }>>;

/** A row that waits, with its kind. */
export interface Entry {
  readonly kind: Kind;
  readonly row: Waiting;
}

/** What this person may decide, the oldest first. */
export const decidable = (data: Data): Entry[] =>
  Object.entries(kinds)
    .flatMap(([name, kind]) => (data[name]?.nodes ?? []).map((row) => ({ kind, row })))
    .filter(({ kind, row }) => row.allowedStatuses.includes(kind.approve[0]))
    .sort((a, b) => a.row.createdAt.localeCompare(b.row.createdAt));

/** Decides on the row as it was seen: if somebody has changed it since, the service refuses. */
export const decide = ({ kind: { type }, row: { id, etag } }: Entry, status: string): Promise<unknown> =>
  write(
    `mutation Decide($id: ID!, $ifMatch: String, $input: Update${type}Input!) {
      update${type}(id: $id, ifMatch: $ifMatch, input: $input) { id }
    }`,
    { id, ifMatch: etag, input: { status } },
  );

/** The kinds of which more rows wait than are looked at, with how many. */
export const overfull = (data: Data): { readonly kind: Kind; readonly count: number }[] =>
  Object.entries(kinds).flatMap(([name, kind]) => {
    const count = data[name]?.totalCount ?? 0;
    return count > shownOfKind ? [{ kind, count }] : [];
  });
