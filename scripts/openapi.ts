// Writes the OpenAPI document, into which the compiled service puts its address: node <this, compiled> <file>
import { writeFileSync } from 'node:fs';
import { basePaths } from '../src/rest/index.ts';
import { openapi } from '../src/rest/openapi/document.ts';
import { addressToCome } from '../src/rest/openapi/index.ts';
import { api } from '../src/schema/index.ts';

const [, , file = ''] = process.argv;
writeFileSync(file, JSON.stringify(openapi(api, addressToCome, basePaths)));
