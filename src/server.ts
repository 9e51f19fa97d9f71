// Before anything else is loaded: outside production, graphql checks the realm of every value, which is slow.
import './production.ts';

if (process.stdout.isTTY) process.stdout.write('Starting Premises …\n');

// Imported dynamically, so that the line above appears first: loading takes most of the start.
const { start } = await import('./start.ts');
await start();
