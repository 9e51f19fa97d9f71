import en from './en/places-my-day.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/places-my-day.json', { with: { type: 'json' } }));
