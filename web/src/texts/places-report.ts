import en from './en/places-report.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/places-report.json', { with: { type: 'json' } }));
