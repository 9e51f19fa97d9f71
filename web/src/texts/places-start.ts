import en from './en/places-start.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/places-start.json', { with: { type: 'json' } }));
