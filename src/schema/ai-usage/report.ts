import { DateTime } from 'luxon';
import type { Context } from '../../context.ts';
import { type AiUsageMonth as MonthRow, Prisma } from '../../database/generated/client/client.ts';
import { badRequest } from '../../errors.ts';
import { isoDay } from '../../fields/index.ts';
import { messages } from '../../input/index.ts';
import { defineOperation, defineType, today } from '../../resource/index.ts';
import {
  aiUsageTag,
  type FeatureMonthUsage,
  type FeatureUsage,
  type MonthUsage,
  type Usage,
  usageTypes,
} from './usage.ts';

const Report = defineType((kit) => {
  const { builder } = kit;
  const { AiUsageFeature, AiUsageFeatureMonth, AiUsageMonth, AiUsageTotal } = usageTypes(kit);
  const Range = builder.objectRef<Span>('AiUsageRange').implement({
    description: 'The range of days.',
    fields: (t) => ({
      start: t.field({ type: 'Date', description: 'The first day.', resolve: ({ start }) => start }),
      end: t.field({ type: 'Date', description: 'The day after the last day.', resolve: ({ end }) => end }),
    }),
  });

  return builder.objectRef<UsageReport>('AiUsage').implement({
    description: 'AI usage in a range of days.',
    fields: (t) => ({
      range: t.expose('range', { type: Range, description: 'The range of days.' }),
      features: t.field({
        type: [AiUsageFeature],
        description: 'Usage by feature, the most expensive first.',
        resolve: ({ features }) => [...features],
      }),
      total: t.expose('total', { type: AiUsageTotal, description: 'Usage of all features together.' }),
      featureMonths: t.field({
        type: [AiUsageFeatureMonth],
        description: 'Usage in the range by month and feature. It adds up to the total.',
        resolve: ({ featureMonths }) => [...featureMonths],
      }),
      months: t.field({
        type: [AiUsageMonth],
        description:
          'Monthly summaries by feature, for the months that overlap the range and have been summarized. Each covers the whole month, as of its last summary.',
        resolve: ({ months }) => [...months],
      }),
    }),
  });
});

/** The report of AI usage. */
export const usageReport = defineOperation({
  action: 'read',
  rest: true,
  field: 'aiUsage',
  path: '/ai-usage',
  tag: aiUsageTag,
  access: 'management',
  type: 'AiUsage',
  words: { one: 'the AI usage' },
  description: 'Get the usage and cost of AI features.',
  returns: Report,
  args: (arg) => ({
    start: arg({
      type: 'Date',
      description: "First day, in the company's time zone. The default is the first day of the current month.",
    }),
    end: arg({
      type: 'Date',
      description: 'Day after the last day. The default is the first day of the next month.',
    }),
  }),
  async run(args, context): Promise<UsageReport> {
    const month = monthOf(today(context));
    const start = args.start ?? month.start;
    const end = args.end ?? month.end;
    if (end < start) throw badRequest(messages.notBefore('start'), 'end');
    return {
      range: { start, end },
      ...(await usageIn({ start, end }, context)),
      months: await findRollUps({ start, end }, context),
    };
  },
});

/** A range of days; `end` is exclusive. */
interface Span {
  readonly start: Date;
  readonly end: Date;
}

interface UsageReport {
  readonly range: Span;
  readonly features: readonly FeatureUsage[];
  readonly total: Usage;
  readonly featureMonths: readonly FeatureMonthUsage[];
  readonly months: readonly MonthUsage[];
}

/** The month that contains a day. */
export function monthOf(day: Date): Span {
  const start = DateTime.fromJSDate(day, { zone: 'utc' }).startOf('month');
  return { start: start.toJSDate(), end: start.plus({ months: 1 }).toJSDate() };
}

/**
 * Adds up the events of a span: by feature, by month and feature, and in total. Prisma has no grouping sets, so it is
 * SQL and filters by company itself.
 */
async function usageIn(
  { start, end }: Span,
  { unscopedDb: db, caller: { companyId, timeZone } }: Context,
): Promise<Pick<UsageReport, 'features' | 'featureMonths' | 'total'>> {
  const sums = await db.$queryRaw<(Usage & { readonly feature: string | null; readonly month: Date | null })[]>`
    SELECT feature, date_trunc('month', day_in(${timeZone}::text, occurred_at)::timestamp)::date AS month, count(*)::int AS requests,
           coalesce(sum(input_tokens), 0)::numeric AS "inputTokens",
           coalesce(sum(output_tokens), 0)::numeric AS "outputTokens", coalesce(sum(cost_usd), 0) AS "costUsd"
    FROM ai_usage_events
    WHERE company_id = ${companyId}::uuid
      AND occurred_at >= start_of_day(${isoDay(start)}::date, ${timeZone}::text) AND occurred_at < start_of_day(${isoDay(end)}::date, ${timeZone}::text)
    GROUP BY GROUPING SETS ((feature), (feature, month), ())
    ORDER BY month, sum(cost_usd) DESC, feature`;
  const byFeature = sums.flatMap(({ feature, ...usage }) => (feature === null ? [] : [{ feature, ...usage }]));
  const features = byFeature.filter(({ month }) => month === null);
  const featureMonths = byFeature.flatMap(({ month, ...usage }) => (month === null ? [] : [{ month, ...usage }]));
  const total = sums.find(({ feature }) => feature === null);
  // The empty grouping set returns a row even without events.
  if (!total) throw new Error('the sum of all usage is missing');
  return { features, featureMonths, total };
}

/** The roll-ups of the months that overlap a range of days. */
async function findRollUps({ start, end }: Span, { db }: Context): Promise<MonthUsage[]> {
  if (end <= start) return [];
  const month = { gte: monthOf(start).start, lt: end };
  const rows = await db.aiUsageMonth.findMany({
    where: { month },
    orderBy: [{ month: 'asc' }, { costUsd: 'desc' }, { feature: 'asc' }],
  });
  return rows.map(monthUsage);
}

/** A roll-up with its tokens as decimals. */
export const monthUsage = ({ inputTokens, outputTokens, ...row }: MonthRow): MonthUsage => ({
  ...row,
  inputTokens: new Prisma.Decimal(String(inputTokens)),
  outputTokens: new Prisma.Decimal(String(outputTokens)),
});
