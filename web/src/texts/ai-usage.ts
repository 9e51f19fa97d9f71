import en from './en/ai-usage.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/ai-usage.json', { with: { type: 'json' } }));
