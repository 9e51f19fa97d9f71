import en from './en/account.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/account.json', { with: { type: 'json' } }));
