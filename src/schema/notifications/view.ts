import type { NotificationKind } from './kinds.ts';

/** A notification as the database has it. */
export interface StoredNotification {
  readonly id: string;
  readonly kind: string;
  readonly tableName: string;
  readonly rowId: string;
  readonly xid: bigint | string;
  readonly seq: bigint | string;
  readonly readAt: Date | null;
}

/** A notification as its person may read it. */
export interface NotificationView {
  readonly id: string;
  readonly kind: NotificationKind;
  /** The row that it is about: its GraphQL type and what people call it, its ID and name. */
  readonly resource: string;
  readonly noun: string;
  readonly rowId: string;
  readonly title: string;
  /** What happened, as a sentence. */
  readonly text: string;
  /** Page that shows the row; null of one that was deleted. */
  readonly path: string | null;
  readonly at: Date;
  readonly readAt: Date | null;
}

/** Makes the address of a row's page, by its table. */
export type PathOf = (tableName: string, id: string) => string;
