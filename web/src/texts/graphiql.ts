import en from './en/graphiql.json' with { type: 'json' };
import { texts } from './texts.ts';

export const t = texts(en, () => import('./de/graphiql.json', { with: { type: 'json' } }));
