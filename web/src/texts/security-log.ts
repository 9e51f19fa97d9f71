import en from './en/security-log.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/security-log.json', { with: { type: 'json' } }));
