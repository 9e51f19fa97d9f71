import type { Context } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import { type Counts, column } from '../../resource/index.ts';

/** The columns by whose values figures count rows. Both kinds of request have the same values. */
export const counted = {
  requestStatus: column('ServiceRequest', 'status'),
  requestPriority: column('ServiceRequest', 'priority'),
  assetStatus: column('Asset', 'status'),
  packageStatus: column('ExpectedPackage', 'status'),
};

/** Service or move requests that were created in the range. */
export interface RequestAnalytics {
  readonly total: number;
  readonly byStatus: Counts;
  readonly byPriority: Counts;
  readonly createdPerDay: readonly { readonly date: string; readonly count: number }[];
  readonly averageHoursToComplete: number | null;
}

/**
 * The dashboard's figures for one company. `mode=rpc` and `mode=batch` both return them: rpc computes them in the
 * database with the SQL function `dashboard_analytics`, batch with one query each. The API offers both modes, so the
 * computation exists twice; the range, the shape and the presentation are shared.
 */
export interface Analytics {
  readonly range: { readonly startDate: string; readonly endDate: string };
  readonly serviceRequests: RequestAnalytics;
  readonly moveRequests: RequestAnalytics;
  readonly inventory: {
    readonly items: number;
    readonly lowStock: number;
    readonly stockValue: number | Prisma.Decimal;
  };
  readonly leases: {
    readonly active: number;
    readonly expiringIn90Days: number;
    readonly dueThisMonth: number | Prisma.Decimal;
  };
  readonly assets: { readonly byStatus: Counts; readonly overdueMaintenance: number };
  readonly procurement: { readonly openRequisitions: number; readonly openAmount: number | Prisma.Decimal };
  readonly packages: { readonly expected: number; readonly received: number };
  readonly reminders: { readonly due: number };
}

/** The range of the company's days to analyze, both ends included, and the current time. */
export interface DateRange {
  readonly start: Date;
  readonly finish: Date;
  readonly now: Date;
}

/** Computes the figures of the caller's company. */
export type ComputeAnalytics = (context: Context, range: DateRange) => Promise<Analytics>;
