// Prints every REST route with the access it requires and its GraphQL root field:
//   npm run routes
//   npm run --silent routes -- --markdown > docs/routes.md
import { routesAsMarkdown, routesAsText } from './routes-table.ts';

process.stdout.write(process.argv.includes('--markdown') ? routesAsMarkdown() : `${routesAsText()}\n`);
