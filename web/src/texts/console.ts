import en from './en/console.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/console.json', { with: { type: 'json' } }));
