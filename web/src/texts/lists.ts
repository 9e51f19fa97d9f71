import en from './en/lists.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts('lists', en, () => import('./de/lists.json', { with: { type: 'json' } }));
