import en from './en/sign-in.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/sign-in.json', { with: { type: 'json' } }));
