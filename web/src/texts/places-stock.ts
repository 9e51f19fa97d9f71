import en from './en/places-stock.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/places-stock.json', { with: { type: 'json' } }));
