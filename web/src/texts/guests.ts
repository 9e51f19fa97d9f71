import en from './en/guests.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/guests.json', { with: { type: 'json' } }));
