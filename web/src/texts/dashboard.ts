import en from './en/dashboard.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/dashboard.json', { with: { type: 'json' } }));
