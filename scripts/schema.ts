// Writes schema.graphql, the schema as clients see it: npm run schema
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printSchema } from 'graphql';
import { graphqlSchema } from '../src/graphql/schema.ts';

await writeFile(join(import.meta.dirname, '..', 'schema.graphql'), `${printSchema(graphqlSchema)}\n`);
