// Prints every REST route with the access it requires and its GraphQL root field: npm run routes
import { routesAsText } from './routes-table.ts';

process.stdout.write(`${routesAsText()}\n`);
