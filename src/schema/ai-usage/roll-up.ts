import { type Context, inTransaction } from '../../context.ts';
import { Prisma } from '../../database/generated/client/client.ts';
import { isoDay } from '../../fields/index.ts';
import { defineOperation, defineType, lockCompany } from '../../resource/index.ts';
import { monthOf, monthUsage } from './report.ts';
import { aiUsageTag, type MonthUsage, usageTypes } from './usage.ts';

const Input = defineType(({ builder }) => {
  const Action = builder.enumType('AiUsageAction', {
    description: 'Actions on AI usage.',
    values: { AGGREGATE: { description: 'Summarize a month.' } },
  });
  return builder.inputType('AggregateAiUsageInput', {
    description: 'The month to summarize.',
    fields: (t) => ({
      action: t.field({ type: Action, required: true, description: 'The action.' }),
      month: t.field({ type: 'Date', required: true, description: 'Any day of the month.' }),
    }),
  });
});

/** The monthly roll-up of AI usage. */
export const usageRollUp = defineOperation({
  action: 'batch',
  rest: true,
  field: 'aggregateAiUsage',
  label: 'Summarize',
  path: '/ai-usage',
  tag: aiUsageTag,
  access: 'management',
  type: 'AiUsageMonth',
  words: { one: 'an AI usage month' },
  description: 'Summarize the AI usage of a month by feature. Repeating it includes usage that was recorded since.',
  returns: (kit) => [usageTypes(kit).AiUsageMonth],
  args: (arg, kit) => ({ input: arg({ type: Input(kit), required: true, description: 'The month to summarize.' }) }),
  run: ({ input }, context) => rollUp(input.month, context),
});

/**
 * Rolls up the month of a day. Unchanged rows are not updated. One statement reads and writes, which Prisma cannot, so
 * it is SQL and filters by company itself.
 */
export async function rollUp(day: Date, context: Context): Promise<MonthUsage[]> {
  const { start: month, end } = monthOf(day);
  const { companyId, timeZone } = context.caller;
  const isInMonth = Prisma.sql`occurred_at >= start_of_day(${isoDay(month)}::date, ${timeZone}::text)
    AND occurred_at < start_of_day(${isoDay(end)}::date, ${timeZone}::text)`;
  return inTransaction(context, async () => {
    // One at a time, so that a roll-up never overwrites the sums of a later one.
    await lockCompany(context);
    await context.unscopedDb.$executeRaw`
      INSERT INTO ai_usage_months AS rolled (company_id, month, feature, requests, input_tokens, output_tokens, cost_usd, updated_at)
      SELECT company_id, ${isoDay(month)}::date, feature, count(*), sum(input_tokens), sum(output_tokens), sum(cost_usd), clock_timestamp()
      FROM ai_usage_events
      WHERE company_id = ${companyId}::uuid AND ${isInMonth}
      GROUP BY company_id, feature
      ON CONFLICT (company_id, month, feature) DO UPDATE
      SET requests = excluded.requests, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
          cost_usd = excluded.cost_usd, updated_at = excluded.updated_at
      WHERE (rolled.requests, rolled.input_tokens, rolled.output_tokens, rolled.cost_usd)
        IS DISTINCT FROM (excluded.requests, excluded.input_tokens, excluded.output_tokens, excluded.cost_usd)`;
    // A change of the company's time zone moves uses to another month, and may leave none of a feature.
    await context.unscopedDb.$executeRaw`
      DELETE FROM ai_usage_months AS rolled
      WHERE company_id = ${companyId}::uuid AND month = ${isoDay(month)}::date AND NOT EXISTS (
        SELECT FROM ai_usage_events AS event
        WHERE event.company_id = ${companyId}::uuid AND event.feature = rolled.feature AND ${isInMonth})`;
    const orderBy = [{ costUsd: 'desc' }, { feature: 'asc' }] as const;
    const rows = await context.db.aiUsageMonth.findMany({ where: { month }, orderBy: [...orderBy] });
    return rows.map(monthUsage);
  });
}
