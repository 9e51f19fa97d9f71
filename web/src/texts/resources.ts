// The types of the texts: a key that English does not have is an error of the compiler.
import type account from './en/account.json';
import type aiUsage from './en/ai-usage.json';
import type answers from './en/answers.json';
import type app from './en/app.json';
import type company from './en/company.json';
import type components from './en/components.json';
import type console from './en/console.json';
import type dashboard from './en/dashboard.json';
import type docs from './en/docs.json';
import type graphiql from './en/graphiql.json';
import type guests from './en/guests.json';
import type lists from './en/lists.json';
import type notifications from './en/notifications.json';
import type people from './en/people.json';
import type placesApprovals from './en/places-approvals.json';
import type placesAssets from './en/places-assets.json';
import type placesDesks from './en/places-desks.json';
import type placesLeases from './en/places-leases.json';
import type placesMailroom from './en/places-mailroom.json';
import type placesMyDay from './en/places-my-day.json';
import type placesReport from './en/places-report.json';
import type placesRequests from './en/places-requests.json';
import type placesSetUp from './en/places-set-up.json';
import type placesStart from './en/places-start.json';
import type placesStock from './en/places-stock.json';
import type securityLog from './en/security-log.json';
import type signIn from './en/sign-in.json';
import type taps from './en/taps.json';
import type webhooks from './en/webhooks.json';

/** The texts of each namespace. */
export interface Resources {
  readonly account: typeof account;
  readonly 'ai-usage': typeof aiUsage;
  readonly answers: typeof answers;
  readonly app: typeof app;
  readonly company: typeof company;
  readonly components: typeof components;
  readonly console: typeof console;
  readonly dashboard: typeof dashboard;
  readonly docs: typeof docs;
  readonly graphiql: typeof graphiql;
  readonly guests: typeof guests;
  readonly lists: typeof lists;
  readonly notifications: typeof notifications;
  readonly people: typeof people;
  readonly 'places-approvals': typeof placesApprovals;
  readonly 'places-assets': typeof placesAssets;
  readonly 'places-desks': typeof placesDesks;
  readonly 'places-leases': typeof placesLeases;
  readonly 'places-mailroom': typeof placesMailroom;
  readonly 'places-my-day': typeof placesMyDay;
  readonly 'places-report': typeof placesReport;
  readonly 'places-requests': typeof placesRequests;
  readonly 'places-set-up': typeof placesSetUp;
  readonly 'places-start': typeof placesStart;
  readonly 'places-stock': typeof placesStock;
  readonly 'security-log': typeof securityLog;
  readonly 'sign-in': typeof signIn;
  readonly taps: typeof taps;
  readonly webhooks: typeof webhooks;
}

declare module 'i18next' {
  interface CustomTypeOptions {
    readonly resources: Resources;
  }
}
