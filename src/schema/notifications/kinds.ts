/** How a person is notified: not at all, in their list of notifications, or by email too. */
export const deliveries = ['off', 'list', 'email'] as const;
export type NotificationDelivery = (typeof deliveries)[number];

/** What people can be notified of, by the names that the database has. */
export const notificationKinds = {
  assigned: {
    label: 'Assigned to you',
    description: 'A service or move request is assigned to you.',
    isAboutRequest: true,
    delivery: 'email',
  },
  request_changed: {
    label: 'Request changed',
    description: 'A service or move request that you created, are assigned to or watch changes.',
    isAboutRequest: true,
    delivery: 'email',
  },
  commented: {
    label: 'New comment',
    description: 'Somebody comments on a service or move request that you created, are assigned to or watch.',
    isAboutRequest: true,
    delivery: 'email',
  },
  reminder_due: { label: 'Reminder due', description: 'A reminder falls due.', isAboutRequest: false, delivery: 'off' },
  low_stock: {
    label: 'Low stock',
    description: 'The stock of an item falls below its reorder point.',
    isAboutRequest: false,
    delivery: 'off',
  },
  lease_expired: { label: 'Lease expired', description: 'A lease expires.', isAboutRequest: false, delivery: 'off' },
  maintenance_overdue: {
    label: 'Maintenance overdue',
    description: 'Scheduled maintenance of an asset becomes overdue.',
    isAboutRequest: false,
    delivery: 'off',
  },
  malware_found: {
    label: 'Malware found',
    description: 'Malware is found in a file that you sent or, for admins, in any file.',
    isAboutRequest: false,
    delivery: 'email',
  },
  scheduled_query: {
    label: 'Scheduled query',
    description: 'The answer to a saved query is sent to you by email. It is in no list.',
    isAboutRequest: false,
    delivery: 'email',
  },
} as const satisfies Record<string, NotificationKindFacts>;

interface NotificationKindFacts {
  readonly label: string;
  readonly description: string;
  /** Whether it is about a request, whose notifications are one conversation. */
  readonly isAboutRequest: boolean;
  /** How people are notified by default. */
  readonly delivery: NotificationDelivery;
}

export type NotificationKind = keyof typeof notificationKinds;

// `keyof` allows more keys than the object has.
export const kindNames = Object.keys(notificationKinds) as readonly NotificationKind[];

/** A preference as the database has it. */
export interface StoredPreference {
  readonly kind: string;
  readonly delivery: string;
}

/** How a person is notified of something. @param stored their preferences */
export const deliveryOf = (kind: NotificationKind, stored: readonly StoredPreference[]): NotificationDelivery =>
  deliveries.find((each) => each === stored.find((one) => one.kind === kind)?.delivery) ??
  notificationKinds[kind].delivery;
