import { AiUsageEvent } from '../../schema/ai-usage/event.ts';
import { rollUp } from '../../schema/ai-usage/roll-up.ts';
import type { Seed } from '../context.ts';
import { amira, david, jonas, nora, priya } from '../people.ts';

/** Uses of AI: the user, the number in the last two months, and the first use's figures. */
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

/** The demo company's AI usage, and last month's roll-up. */
export const aiUsage: Seed = async (seed) => {
  for (const { every, by, ...columns } of features) {
    for (let nth = 0; nth < Math.floor(60 / every); nth += 1) {
      const at = seed.ago(0.2 + nth * every);
      // A variation that is the same on every run.
      const more = 1 + (nth % 4) / 10;
      const use = {
        inputTokens: Math.round(columns.inputTokens * more),
        outputTokens: Math.round(columns.outputTokens * more),
        costUsd: Math.round(columns.costUsd * more * 1e6) / 1e6,
      };
      await seed.create(AiUsageEvent, { at, by }, { ...columns, ...use, occurredAt: at });
    }
  }
  const lastMonth = seed.date(0);
  lastMonth.setUTCDate(0);
  await rollUp(lastMonth, seed.as({ at: seed.now }));
};
