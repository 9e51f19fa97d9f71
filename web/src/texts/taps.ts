import en from './en/taps.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/taps.json', { with: { type: 'json' } }));
