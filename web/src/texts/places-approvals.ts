import en from './en/places-approvals.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/places-approvals.json', { with: { type: 'json' } }));
