import { recordUsage } from '../../schema/ai-usage/event.ts';
import { rollUp } from '../../schema/ai-usage/roll-up.ts';
import type { Seed } from '../context.ts';
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
export const aiUsage: Seed = async (seed) => {
  for (const { every, by, ...columns } of features) {
    for (let nth = 0; nth < Math.floor(60 / every); nth += 1) {
      const at = seed.ago(0.2 + nth * every);
      // A little more or less, and the same every time.
      const more = 1 + (nth % 4) / 10;
      const use = {
        inputTokens: Math.round(columns.inputTokens * more),
        outputTokens: Math.round(columns.outputTokens * more),
        costUsd: Math.round(columns.costUsd * more * 1e6) / 1e6,
      };
      await recordUsage({ ...columns, ...use, occurredAt: at }, seed.as({ at, by }));
    }
  }
  const lastMonth = seed.date(0);
  lastMonth.setUTCDate(0);
  await rollUp(lastMonth, seed.as({ at: seed.now }));
};
