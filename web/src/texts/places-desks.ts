import en from './en/places-desks.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts('places-desks', en, () => import('./de/places-desks.json', { with: { type: 'json' } }));
