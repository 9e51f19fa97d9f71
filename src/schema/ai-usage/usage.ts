import type { Prisma } from '../../database/generated/client/client.ts';
import { builder } from '../../resource/builder.ts';

/** What several uses of AI come to. */
export interface Usage {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: Prisma.Decimal;
}

/** Of one feature. */
export type FeatureUsage = Usage & { readonly feature: string };

/** Of one feature in one month, as it was rolled up. */
export type MonthUsage = FeatureUsage & { readonly month: Date; readonly updatedAt: Date };

type Fields = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Usage>;

// Tokens are counted in numbers that have no end at 32 bits, as GraphQL's whole ones do.
const usageFields = (t: Fields) => ({
  requests: t.exposeInt('requests', { description: 'How often it was used.' }),
  inputTokens: t.exposeFloat('inputTokens', { description: 'How many tokens went in.' }),
  outputTokens: t.exposeFloat('outputTokens', { description: 'How many tokens came out.' }),
  totalTokens: t.float({
    description: 'Both together.',
    resolve: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
  }),
  costUsd: t.exposeFloat('costUsd', { description: 'What it cost, in US dollars.' }),
});

export const AiUsageTotal = builder.objectRef<Usage>('AiUsageTotal').implement({
  description: 'What all features together took.',
  fields: usageFields,
});

export const AiUsageFeature = builder.objectRef<FeatureUsage>('AiUsageFeature').implement({
  description: 'What one AI feature took.',
  fields: (t) => ({
    feature: t.exposeString('feature', { description: 'The feature.' }),
    // A feature's usage is a usage; Pothos's builders are bound to one type each.
    ...usageFields(t as unknown as Fields),
  }),
});

export const AiUsageMonth = builder.objectRef<MonthUsage>('AiUsageMonth').implement({
  description: 'What one AI feature took in one month, as it was rolled up last.',
  fields: (t) => ({
    month: t.field({ type: 'Date', description: 'The first day of the month (UTC).', resolve: ({ month }) => month }),
    feature: t.exposeString('feature', { description: 'The feature.' }),
    ...usageFields(t as unknown as Fields),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When a roll-up last changed it.',
      resolve: ({ updatedAt }) => updatedAt,
    }),
  }),
});
