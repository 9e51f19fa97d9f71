/** Signing in: better-auth on our tables, the rules for cookies, and the routes below /auth. */
export { isHttpOnThisMachine } from './auth.ts';
export { serveSessions } from './routes.ts';
export { toSessionBody } from './session-body.ts';
export { openSessions, type Sessions } from './sessions.ts';
