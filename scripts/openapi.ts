// Writes the OpenAPI document for the compiled service, which puts its address in: node <this, compiled> <file>
import { writeFileSync } from 'node:fs';
import { basePaths } from '../src/rest/index.ts';
import { openapi } from '../src/rest/openapi/document.ts';
import { addressToCome } from '../src/rest/openapi/index.ts';
import { schema } from '../src/schema/index.ts';

const [, , file = ''] = process.argv;
writeFileSync(file, JSON.stringify(openapi(schema, addressToCome, basePaths)));
