import en from './en/answers.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts('answers', en, () => import('./de/answers.json', { with: { type: 'json' } }));
