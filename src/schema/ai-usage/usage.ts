import type { Prisma } from '../../database/generated/client/client.ts';
import type { SchemaKit, SchemaTypes } from '../../resource/index.ts';

/** The group of the AI usage operations in API references. */
export const aiUsageTag = {
  name: 'AI usage',
  description: 'Usage and cost of AI features, for signed-in admins and executives.',
};

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

/** Declares which column a field stands for. */
const columnOf = (name: string) => ({ column: ['AiUsageMonth', name] });

type Fields = PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Usage>;

// Tokens are counted in numbers that have no end at 32 bits, as GraphQL's whole ones do.
const usageFields = (t: Fields) => ({
  requests: t.exposeInt('requests', { description: 'How often it was used.', extensions: columnOf('requests') }),
  inputTokens: t.exposeFloat('inputTokens', {
    description: 'How many tokens went in.',
    extensions: columnOf('inputTokens'),
  }),
  outputTokens: t.exposeFloat('outputTokens', {
    description: 'How many tokens came out.',
    extensions: columnOf('outputTokens'),
  }),
  totalTokens: t.float({
    description: 'Both together.',
    extensions: { example: 2300 },
    resolve: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
  }),
  costUsd: t.exposeFloat('costUsd', { description: 'What it cost, in US dollars.', extensions: columnOf('costUsd') }),
});

/** Makes the types that tell of AI usage. */
export function makeUsageTypes({ builder }: SchemaKit) {
  const AiUsageTotal = builder.objectRef<Usage>('AiUsageTotal').implement({
    description: 'What all features together took.',
    fields: usageFields,
  });

  const AiUsageFeature = builder.objectRef<FeatureUsage>('AiUsageFeature').implement({
    description: 'What one AI feature took.',
    fields: (t) => ({
      feature: t.exposeString('feature', { description: 'The feature.', extensions: columnOf('feature') }),
      // A feature's usage is a usage; Pothos's builders are bound to one type each.
      ...usageFields(t as unknown as Fields),
    }),
  });

  const AiUsageMonth = builder.objectRef<MonthUsage>('AiUsageMonth').implement({
    description: 'What one AI feature took in one month, as it was rolled up last.',
    fields: (t) => ({
      month: t.field({
        type: 'Date',
        description: 'The first day of the month (UTC).',
        extensions: columnOf('month'),
        resolve: ({ month }) => month,
      }),
      feature: t.exposeString('feature', { description: 'The feature.', extensions: columnOf('feature') }),
      ...usageFields(t as unknown as Fields),
      updatedAt: t.field({
        type: 'DateTime',
        description: 'When a roll-up last changed it.',
        extensions: columnOf('updatedAt'),
        resolve: ({ updatedAt }) => updatedAt,
      }),
    }),
  });
  return { AiUsageTotal, AiUsageFeature, AiUsageMonth };
}

/** The types that tell of AI usage. */
export type UsageTypes = ReturnType<typeof makeUsageTypes>;
