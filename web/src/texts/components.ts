import en from './en/components.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/components.json', { with: { type: 'json' } }));
