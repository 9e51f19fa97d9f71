/** PostGraphile in the server that the other references share. It answers nested queries at /graphql only. */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/fastify/v5';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { callersInPg } from '../callers-pg.ts';
import { createServer, listen } from '../reference.ts';

const connectionString = process.env.DATABASE_URL;
const client = new pg.Client({ connectionString });
await client.connect();
await client.query(await readFile(`${import.meta.dirname}/schema.sql`, 'utf8'));
await client.end();

const app = createServer(callersInPg);
// So that the benchmark knows when it serves.
app.get('/api/v1/service-requests', () => ({ data: [] }));
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: ['postgraphile'] })],
  grafserv: { graphqlPath: '/graphql', graphiql: false },
  grafast: { explain: false },
});
await instance.createServ(grafserv).addTo(app);
await listen(app, Number(process.env.PORT));
