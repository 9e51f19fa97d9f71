import en from './en/company.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/company.json', { with: { type: 'json' } }));
