import en from './en/places-assets.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/places-assets.json', { with: { type: 'json' } }));
