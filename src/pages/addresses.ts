// The pages and their addresses. The pages use this module too, so it imports nothing.

/** The lists of rows that figures of the dashboard count. */
export const lists = [
  'service-requests',
  'move-requests',
  'low-stock',
  'stock-value',
  'expiring-leases',
  'lease-payments',
  'overdue-maintenance',
  'open-requisitions',
  'expected-packages',
  'reminders-due',
] as const;

/** The types of rows that notifications are about. */
export const rowTypes = [
  'service-requests',
  'move-requests',
  'reminders',
  'inventory-items',
  'leases',
  'asset-maintenance',
] as const;

/** The tutorials in `docs/tutorials/`. */
const tutorials = ['analyst', 'curl', 'graphql', 'sync', 'typescript'];

/** The files in `web/src/pages/` and the addresses at which each is shown. A part that begins with a colon varies. */
export const pages = {
  Home: ['/'],
  Docs: ['/docs'],
  SignIn: ['/sign-in'],
  ForgotPassword: ['/forgot-password'],
  ResetPassword: ['/reset-password'],
  Account: ['/account'],
  People: ['/people'],
  CompanySettings: ['/company'],
  SecurityLog: ['/security-log'],
  Webhooks: ['/webhooks'],
  Notifications: ['/notifications'],
  Unsubscribe: ['/unsubscribe'],
  Invitation: ['/invitation'],
  Dashboard: ['/dashboard'],
  List: lists.map((name) => `/lists/${name}`),
  Row: rowTypes.map((type) => `/rows/${type}/:id`),
  AiUsage: ['/ai-usage'],
  RegisterDelivery: ['/packages'],
  PackageStatus: ['/packages/:token'],
  Tutorial: tutorials.map((name) => `/tutorials/${name}`),
} satisfies Readonly<Record<string, readonly string[]>>;

/** The addresses of all pages. */
export const addresses: readonly string[] = Object.values(pages).flat();
