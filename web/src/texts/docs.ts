import en from './en/docs.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/docs.json', { with: { type: 'json' } }));
