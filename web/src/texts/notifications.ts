import en from './en/notifications.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/notifications.json', { with: { type: 'json' } }));
