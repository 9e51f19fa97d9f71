import en from './en/places-leases.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/places-leases.json', { with: { type: 'json' } }));
