import { defineListing } from '../../resource/index.ts';
import { aiUsageTag } from './usage.ts';

/** The uses of AI features, for sessions of admins and executives alone. */
export const AiUse = defineListing('AiUsageEvent', {
  words: { one: 'an AI use' },
  // As they name users; it opens nothing by itself.
  scope: 'users',
  fields: {
    feature: {},
    model: {},
    userId: {},
    inputTokens: {},
    outputTokens: {},
    costUsd: {},
    occurredAt: {},
  },
  graphql: { type: 'AiUse', relations: ['user'] },
  rest: { path: '/ai-usage/uses' },
  requires: { access: 'management', tag: aiUsageTag },
});
