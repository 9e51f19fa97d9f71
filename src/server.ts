// Before anything else is loaded: graphql checks every value's realm, slowly, unless this says production.
import './production.ts';

if (process.stdout.isTTY) process.stdout.write('Starting Premises …\n');

// Loading takes most of a start, and the compiled code shares none of it with this file.
const { start } = await import('./start.ts');
await start();
