import { olderServiceScripts } from './older-services.ts';
import { recentServiceScripts } from './recent-services.ts';
import type { ServiceScript } from './script.ts';

export { moveScripts } from './move-requests.ts';
export type { Script } from './script.ts';

/** The demo's service requests, newest first. */
export const serviceScripts: readonly ServiceScript[] = [...recentServiceScripts, ...olderServiceScripts];
