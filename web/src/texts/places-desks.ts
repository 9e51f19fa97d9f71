import en from './en/places-desks.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/places-desks.json', { with: { type: 'json' } }));
