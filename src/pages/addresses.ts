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

/** The types of rows that notifications are about, by the part of the address that names them. */
export const rowTypes: Readonly<Record<string, string>> = {
  'service-requests': 'ServiceRequest',
  'move-requests': 'MoveRequest',
  reminders: 'Reminder',
  'inventory-items': 'InventoryItem',
  leases: 'Lease',
  'asset-maintenance': 'AssetMaintenance',
};

/** The tutorials in `docs/tutorials/`. */
const tutorials = ['analyst', 'curl', 'graphql', 'sync', 'typescript'];

/**
 * The files in `web/src/guests/` and the addresses at which each is shown: pages that need no session, in a document of
 * their own, which loads little. A part of an address that begins with a colon varies.
 */
export const guestPages = {
  Home: ['/'],
  Developers: ['/developers'],
  SignIn: ['/sign-in'],
  ForgotPassword: ['/forgot-password'],
  ResetPassword: ['/reset-password'],
  Unsubscribe: ['/unsubscribe'],
  Invitation: ['/invitation'],
  RegisterDelivery: ['/packages'],
  PackageStatus: ['/packages/:token'],
} satisfies Readonly<Record<string, readonly string[]>>;

/** The files in `web/src/pages/` and the addresses at which each is shown. */
export const pages = {
  Docs: ['/docs'],
  Account: ['/account'],
  People: ['/people'],
  CompanySettings: ['/company'],
  SecurityLog: ['/security-log'],
  Webhooks: ['/webhooks'],
  Notifications: ['/notifications'],
  Dashboard: ['/dashboard'],
  List: lists.map((name) => `/lists/${name}`),
  Row: Object.keys(rowTypes).map((table) => `/rows/${table}/:id`),
  AiUsage: ['/ai-usage'],
  Tutorial: tutorials.map((name) => `/tutorials/${name}`),
} satisfies Readonly<Record<string, readonly string[]>>;

/**
 * The files in `web/src/places/` and their addresses below `/c/<company>`. These pages are made by hand; those of all
 * resources follow from their definitions.
 */
export const places = {
  Start: [''],
  SetUp: ['/set-up'],
  MyDay: ['/my-day'],
  Requests: ['/requests'],
  Request: ['/requests/:id'],
  Report: ['/report'],
  Mailroom: ['/mailroom'],
  DeskPlan: ['/desk-plan'],
  Approvals: ['/approvals'],
  Stock: ['/stock'],
  AssetCalendar: ['/asset-calendar'],
  LeaseTimeline: ['/lease-timeline'],
  SavedQueries: ['/saved-queries'],
  SavedQuery: ['/saved-queries/:id'],
  Dashboards: ['/dashboards'],
  OneDashboard: ['/dashboards/:id'],
} satisfies Readonly<Record<string, readonly string[]>>;

/** The addresses of a company. */
export const companyAddress = '/c/:company';

/** Where the description of the app is by which phones install it, below the address of a company. */
export const manifestAddress = '/manifest.webmanifest';

/** The addresses of a collection below that of its company, and those of one row. */
export const collectionAddresses = {
  list: '/:collection',
  create: '/:collection/new',
  row: '/:collection/:id',
  edit: '/:collection/:id/edit',
} as const;

/** The files in `web/src/console/pages/` that show them. */
const collectionFiles = { list: 'ListPage', create: 'CreatePage', row: 'RowPage', edit: 'EditPage' } as const;

/** The built document that has the page for signing in already. @param emailsLinks whether it leads to such a link */
export const signInFile = (language: string, emailsLinks: boolean): string =>
  `sign-in.${language}${emailsLinks ? '.links' : ''}.html`;

/** The documents in `web/` that have pages: `guests.html` is that of the pages that need no session. */
export type PageDocument = 'index' | 'guests';

/** A page: its address, its document, and the files in `web/src/` that show it. */
export interface PageRoute {
  readonly address: string;
  readonly document: PageDocument;
  readonly files: readonly string[];
}

/** The worker that shows a page of nobody where there is no network, and that page. */
export const shell = {
  worker: '/service-worker.js',
  page: { address: '/offline', document: 'index', files: ['app/Offline'] },
} as const satisfies { readonly worker: string; readonly page: PageRoute };

/** The worker that reads barcodes in pictures of a camera. */
export const barcodeWorker = '/barcode-worker.js';

/** What is around the pages of a company. */
const companyFile = 'console/pages/CompanyPages';

/** All pages. In the addresses of collections `:collection` is the `page` of a resource. */
export const routes: readonly PageRoute[] = [
  ...Object.entries(guestPages).flatMap(([name, addresses]) =>
    addresses.map((address) => ({ address, document: 'guests' as const, files: [`guests/${name}`] })),
  ),
  ...inApp(),
];

function inApp(): PageRoute[] {
  const found = [
    ...Object.entries(pages).flatMap(([name, addresses]) =>
      addresses.map((address) => ({ address, files: [`pages/${name}`] })),
    ),
    ...Object.entries(places).flatMap(([name, below]) =>
      below.map((address) => ({ address: companyAddress + address, files: [companyFile, `places/${name}`] })),
    ),
    ...Object.entries(collectionAddresses).map(([name, address]) => ({
      address: companyAddress + address,
      files: [companyFile, `console/pages/${collectionFiles[name as keyof typeof collectionFiles]}`],
    })),
  ];
  return found.map((page) => ({ ...page, document: 'index' }));
}

/** The addresses of all pages but those of a company. */
export const addresses: readonly string[] = [...Object.values(guestPages), ...Object.values(pages)].flat();
