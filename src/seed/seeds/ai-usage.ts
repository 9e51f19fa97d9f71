import type { Prisma } from '../../database/generated/client/client.ts';
import type { Seed, SeedContext } from '../context.ts';
import { amira, david, jonas, nora, priya } from '../people.ts';

/** What AI is used for: by whom, how often in the last two months, and what it took the first time. */
const features = [
  {
    feature: 'request_triage',
    model: 'swift-2',
    by: nora,
    every: 3.5,
    inputTokens: 640,
    outputTokens: 85,
    costUsd: 0.0021,
  },
  {
    feature: 'document_summary',
    model: 'scholar-1',
    by: david,
    every: 9,
    inputTokens: 18_200,
    outputTokens: 740,
    costUsd: 0.0614,
  },
  {
    feature: 'lease_extraction',
    model: 'scholar-1',
    by: priya,
    every: 17,
    inputTokens: 41_500,
    outputTokens: 1310,
    costUsd: 0.1389,
  },
  { feature: 'search', model: 'swift-2', by: amira, every: 6, inputTokens: 320, outputTokens: 140, costUsd: 0.0015 },
  {
    feature: 'translation',
    model: 'swift-2',
    by: jonas,
    every: 22,
    inputTokens: 2900,
    outputTokens: 3100,
    costUsd: 0.0187,
  },
];

/** What the demo company's people used AI for, and what last month adds up to. */
export const aiUsage: Seed = (prisma, seed) => {
  const events = features.flatMap(({ every, by, ...columns }) =>
    Array.from({ length: Math.floor(60 / every) }, (_, nth) => {
      const at = seed.ago(0.2 + nth * every);
      // A little more or less, and the same every time.
      const more = 1 + (nth % 4) / 10;
      const use = {
        inputTokens: Math.round(columns.inputTokens * more),
        outputTokens: Math.round(columns.outputTokens * more),
        costUsd: Math.round(columns.costUsd * more * 1e6) / 1e6,
      };
      return { ...seed.key(at), ...columns, ...use, userId: seed.user(by), occurredAt: at, createdAt: at };
    }),
  );
  return [
    prisma.aiUsageEvent.createMany({ data: events }),
    prisma.aiUsageMonth.createMany({ data: rolledUp(seed, events) }),
  ];
};

/** Last month's events, added up for each feature. */
function rolledUp(seed: SeedContext, events: readonly Use[]): Prisma.AiUsageMonthCreateManyInput[] {
  const month = seed.date(0);
  month.setUTCDate(0);
  const end = seed.date(1, month);
  month.setUTCDate(1);
  return features.flatMap(({ feature }) => {
    const uses = events.filter(
      (event) => event.feature === feature && event.occurredAt >= month && event.occurredAt < end,
    );
    const sum = (column: 'inputTokens' | 'outputTokens' | 'costUsd') =>
      uses.reduce((total, use) => total + use[column], 0);
    const total = {
      requests: uses.length,
      inputTokens: sum('inputTokens'),
      outputTokens: sum('outputTokens'),
      costUsd: Math.round(sum('costUsd') * 1e6) / 1e6,
    };
    return uses.length > 0 ? [{ companyId: seed.companyId, month, feature, ...total, updatedAt: end }] : [];
  });
}

interface Use {
  feature: string;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  occurredAt: Date;
}
