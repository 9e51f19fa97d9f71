import en from './en/ai-usage.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts('ai-usage', en, () => import('./de/ai-usage.json', { with: { type: 'json' } }));
