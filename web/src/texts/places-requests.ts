import en from './en/places-requests.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/places-requests.json', { with: { type: 'json' } }));
