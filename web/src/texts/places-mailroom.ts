import en from './en/places-mailroom.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/places-mailroom.json', { with: { type: 'json' } }));
