/** Signing in: the library over our tables, the cookie's rules, and /auth. */
export { isHttpOnThisMachine } from './auth.ts';
export { serveSessions } from './routes.ts';
export { openSessions, type Sessions } from './sessions.ts';
