import { type Context, inTransaction } from '../../context.ts';
import { isoDay, lockCompany, type SchemaKit } from '../../resource/index.ts';
import { monthOf, monthUsage } from './report.ts';
import { aiUsageTag, type MonthUsage, type UsageTypes } from './usage.ts';

/** Adds the monthly roll-up of AI usage. */
export function addUsageRollUp(kit: SchemaKit, types: UsageTypes): void {
  const { builder } = kit;
  const { AiUsageMonth } = types;
  const Action = builder.enumType('AiUsageAction', {
    description: 'Actions on AI usage.',
    values: { AGGREGATE: { description: 'Summarize a month.' } },
  });

  const Input = builder.inputType('AggregateAiUsageInput', {
    description: 'The month to summarize.',
    fields: (t) => ({
      action: t.field({ type: Action, required: true, description: 'The action.' }),
      month: t.field({ type: 'Date', required: true, description: 'Any day of the month.' }),
    }),
  });

  kit.addOperation({
    action: 'batch',
    rest: true,
    field: 'aggregateAiUsage',
    path: '/ai-usage',
    tag: aiUsageTag,
    access: 'management',
    type: 'AiUsageMonth',
    description: 'Summarize the AI usage of a month by feature. Repeating it includes usage that was recorded since.',
    returns: [AiUsageMonth],
    args: (arg) => ({ input: arg({ type: Input, required: true, description: 'The month to summarize.' }) }),
    resolve: ({ input }, context) => rollUp(input.month, context),
  });
}

/**
 * Rolls up the month of a day. Unchanged rows are not updated. One statement reads and writes, which Prisma cannot, so
 * it is SQL and filters by company itself.
 */
export async function rollUp(day: Date, context: Context): Promise<MonthUsage[]> {
  const month = monthOf(day).start;
  const { companyId, timeZone } = context.caller;
  return inTransaction(context, async () => {
    // One at a time, so that a roll-up never overwrites the sums of a later one.
    await lockCompany(context);
    await context.unscopedDb.$executeRaw`
      WITH month (start) AS (SELECT ${isoDay(month)}::timestamp)
      INSERT INTO ai_usage_months AS rolled (company_id, month, feature, requests, input_tokens, output_tokens, cost_usd, updated_at)
      SELECT company_id, start::date, feature, count(*), sum(input_tokens), sum(output_tokens), sum(cost_usd), clock_timestamp()
      FROM ai_usage_events, month
      WHERE company_id = ${companyId}::uuid
        AND occurred_at >= start AT TIME ZONE ${timeZone}::text AND occurred_at < (start + interval '1 month') AT TIME ZONE ${timeZone}::text
      GROUP BY company_id, start, feature
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
        WHERE event.company_id = rolled.company_id AND event.feature = rolled.feature
          AND occurred_at >= ${isoDay(month)}::timestamp AT TIME ZONE ${timeZone}::text
          AND occurred_at < (${isoDay(month)}::timestamp + interval '1 month') AT TIME ZONE ${timeZone}::text)`;
    const orderBy = [{ costUsd: 'desc' }, { feature: 'asc' }] as const;
    const rows = await context.db.aiUsageMonth.findMany({ where: { month }, orderBy: [...orderBy] });
    return rows.map(monthUsage);
  });
}
