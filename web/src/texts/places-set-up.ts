import en from './en/places-set-up.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/places-set-up.json', { with: { type: 'json' } }));
