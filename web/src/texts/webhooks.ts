import en from './en/webhooks.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/webhooks.json', { with: { type: 'json' } }));
