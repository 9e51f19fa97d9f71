import en from './en/places-report.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts('places-report', en, () => import('./de/places-report.json', { with: { type: 'json' } }));
