import type { Prisma } from '../../database/generated/client/client.ts';
import { type Column, column, defineType, type ObjectFields } from '../../resource/index.ts';

/** The group of the AI usage operations in API references. */
export const aiUsageTag = {
  name: 'AI usage',
  description: 'Usage and cost of AI features, for signed-in admins and executives.',
};

/** The totals of several uses of AI. */
export interface Usage {
  readonly requests: number;
  readonly inputTokens: Prisma.Decimal;
  readonly outputTokens: Prisma.Decimal;
  readonly costUsd: Prisma.Decimal;
}

/** The usage of one feature. */
export type FeatureUsage = Usage & { readonly feature: string };

/** The usage of one feature in one month. */
export type FeatureMonthUsage = FeatureUsage & { readonly month: Date };

/** The usage of one feature in one month, as of its last roll-up. */
export type MonthUsage = FeatureMonthUsage & { readonly updatedAt: Date };

/** Declares the column of a field. */
const columnOf = (name: Column<'AiUsageMonth'>) => ({ stored: column('AiUsageMonth', name) });

type Fields = ObjectFields<Usage>;
type FeatureMonthFields = ObjectFields<FeatureMonthUsage>;

// Token counts can exceed 32 bits, the limit of GraphQL's Int, and the 53 bits of a double, so they are decimals.
const usageFields = (t: Fields) => ({
  requests: t.exposeInt('requests', { description: 'Number of requests.', extensions: columnOf('requests') }),
  inputTokens: t.exposeFloat('inputTokens', {
    description: 'Number of input tokens.',
    extensions: columnOf('inputTokens'),
  }),
  outputTokens: t.exposeFloat('outputTokens', {
    description: 'Number of output tokens.',
    extensions: columnOf('outputTokens'),
  }),
  totalTokens: t.float({
    description: 'Number of input and output tokens.',
    extensions: { example: 2300 },
    resolve: ({ inputTokens, outputTokens }) => inputTokens.plus(outputTokens),
  }),
  costUsd: t.exposeFloat('costUsd', { description: 'Cost in US dollars.', extensions: columnOf('costUsd') }),
});

const featureMonthFields = (t: FeatureMonthFields) => ({
  month: t.field({
    type: 'Date',
    description: "The first day of the month, in the company's time zone.",
    extensions: columnOf('month'),
    resolve: ({ month }) => month,
  }),
  feature: t.exposeString('feature', { description: 'The feature.', extensions: columnOf('feature') }),
  ...usageFields(t),
});

/** The object types of AI usage. */
export const usageTypes = defineType(({ builder }) => {
  const AiUsageTotal = builder.objectRef<Usage>('AiUsageTotal').implement({
    description: 'AI usage of all features together.',
    fields: usageFields,
  });

  const AiUsageFeature = builder.objectRef<FeatureUsage>('AiUsageFeature').implement({
    description: 'Usage of one AI feature.',
    fields: (t) => ({
      feature: t.exposeString('feature', { description: 'The feature.', extensions: columnOf('feature') }),
      // A FeatureUsage is also a Usage; a builder of fields is bound to one type.
      ...usageFields(t as unknown as Fields),
    }),
  });

  const AiUsageFeatureMonth = builder.objectRef<FeatureMonthUsage>('AiUsageFeatureMonth').implement({
    description: 'Usage of one AI feature in one month.',
    fields: featureMonthFields,
  });

  const AiUsageMonth = builder.objectRef<MonthUsage>('AiUsageMonth').implement({
    description: 'Usage of one AI feature in one month, as of its last summary.',
    fields: (t) => ({
      // As above: a MonthUsage is also a FeatureMonthUsage.
      ...featureMonthFields(t as unknown as FeatureMonthFields),
      updatedAt: t.field({
        type: 'DateTime',
        description: 'Time a summary last changed it.',
        extensions: columnOf('updatedAt'),
        resolve: ({ updatedAt }) => updatedAt,
      }),
    }),
  });
  return { AiUsageTotal, AiUsageFeature, AiUsageFeatureMonth, AiUsageMonth };
});
