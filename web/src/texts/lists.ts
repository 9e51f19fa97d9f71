import en from './en/lists.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/lists.json', { with: { type: 'json' } }));
