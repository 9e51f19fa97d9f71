import en from './en/places-assets.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts('places-assets', en, () => import('./de/places-assets.json', { with: { type: 'json' } }));
