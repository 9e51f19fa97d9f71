// Builds the pages in web/ into web/dist, from where the service serves them.
import { join } from 'node:path';
import { build } from 'vite';

await build({ configFile: join(import.meta.dirname, '../web/vite.config.ts'), logLevel: 'warn' });
