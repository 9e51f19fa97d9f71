import { defineOperation, defineType, today } from '../../resource/index.ts';
import type { ComputeAnalytics } from './analytics.ts';
import { computeInBatch } from './batch.ts';
import { readRange } from './range.ts';
import { computeByRpc } from './rpc.ts';
import { analyticsType } from './types.ts';

const Mode = defineType(({ builder }) =>
  builder.enumType('AnalyticsMode', {
    description: 'How the figures are computed. The result is the same in either mode.',
    values: {
      RPC: { description: 'With a single database function.' },
      BATCH: { description: 'With a batch of queries.' },
    },
  }),
);

/** The dashboard's figures, for signed-in users. */
export const dashboardAnalytics = defineOperation({
  action: 'read',
  rest: true,
  field: 'dashboardAnalytics',
  path: '/dashboard/analytics',
  access: 'session',
  tag: { name: 'Dashboard', description: 'Analytics of the company, for signed-in users.' },
  type: 'DashboardAnalytics',
  words: { one: 'the dashboard analytics', many: 'dashboard analytics' },
  description: 'Get the figures for the dashboard.',
  returns: analyticsType,
  args: (arg, kit) => ({
    startDate: arg({
      type: 'Date',
      description: 'First day of the range. The default is 29 days before the last.',
      extensions: { rest: 'startDate' },
    }),
    endDate: arg({
      type: 'Date',
      description: 'Last day of the range, inclusive. The default is today.',
      extensions: { rest: 'endDate' },
    }),
    mode: arg({ type: Mode(kit), description: 'How the figures are computed. The default is RPC.' }),
  }),
  async run(args, context) {
    const { mode, ...given } = args;
    const range = readRange(given, today(context));
    return analysts[mode ?? 'RPC'](context, { ...range, now: new Date() });
  },
});

const analysts = { RPC: computeByRpc, BATCH: computeInBatch } satisfies Record<string, ComputeAnalytics>;
