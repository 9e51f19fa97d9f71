import en from './en/app.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/app.json', { with: { type: 'json' } }));
