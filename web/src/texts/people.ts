import en from './en/people.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/people.json', { with: { type: 'json' } }));
