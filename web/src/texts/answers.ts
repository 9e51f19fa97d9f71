import en from './en/answers.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/answers.json', { with: { type: 'json' } }));
