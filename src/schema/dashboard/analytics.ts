import type { Context } from '../../context.ts';
import type { Counts } from '../../resource/index.ts';

/** Service or move requests that were made in the range. */
export interface RequestAnalytics {
  readonly total: number;
  readonly byStatus: Counts;
  readonly byPriority: Counts;
  readonly createdPerDay: readonly { readonly date: string; readonly count: number }[];
  readonly averageHoursToComplete: number | null;
}

/** The dashboard's figures for one company. The SQL function `dashboard_analytics` has the same shape. */
export interface Analytics {
  readonly range: { readonly startDate: string; readonly endDate: string };
  readonly serviceRequests: RequestAnalytics;
  readonly moveRequests: RequestAnalytics;
  readonly inventory: { readonly items: number; readonly lowStock: number; readonly stockValue: number };
  readonly leases: { readonly active: number; readonly expiringIn90Days: number; readonly dueThisMonth: number };
  readonly assets: { readonly byStatus: Counts; readonly overdueMaintenance: number };
  readonly procurement: { readonly openRequisitions: number; readonly openAmount: number };
  readonly packages: { readonly expected: number; readonly received: number };
  readonly reminders: { readonly due: number };
}

/** What is range for: the numbers of a range of days, both of which count, as of a moment. */
export interface DateRange {
  readonly start: Date;
  readonly finish: Date;
  readonly now: Date;
}

/** A way to find the numbers of the caller's company. */
export type Analyst = (context: Context, range: DateRange) => Promise<Analytics>;
