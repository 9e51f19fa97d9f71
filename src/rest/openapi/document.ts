import { pathTemplate } from '../../names.ts';
import type { Api } from '../../resource/index.ts';
import { readVersion } from '../../root.ts';
import { loggedTypes } from '../../schema/changes/change-view.ts';
import { takesRows } from '../files.ts';
import { toRestSchema } from '../rest-schema.ts';
import { routesOf } from '../routes.ts';
import { about, shortAbout } from './about.ts';
import { envelopes } from './envelopes.ts';
import { describeFile, withRows } from './files.ts';
import { headers } from './headers.ts';
import { describeOperations } from './operations.ts';
import { responses } from './responses.ts';
import { Schemas } from './schemas.ts';
import { securitySchemes } from './security.ts';
import { shareRepeated } from './shared.ts';
import { tagOf } from './tags.ts';
import type { OpenapiDocument, OpenapiOperation } from './types.ts';
import { describeWebhooks, webhookHeaders, webhookTag } from './webhooks.ts';

/**
 * Describes every REST route of an API in OpenAPI 3.1, from its operations and its schema.
 * @param publicUrl the address of the service
 * @param basePaths the prefixes of the routes
 */
export function openapi(api: Api, publicUrl: string, basePaths: readonly string[]): OpenapiDocument {
  const { schema } = api;
  const restSchema = toRestSchema(schema);
  const schemas = new Schemas(restSchema);
  const operations = describeOperations(routesOf(api), restSchema, schema, schemas);
  const answers = (field: string) => operations.find(({ route }) => route.operation.field === field)?.operation;
  const files = api.files.map((file) => describeFile(file, answers));
  const rows = api.files.find(takesRows);
  const ofRows = files.find(({ operation }) => operation.operationId === rows?.operation.field);
  const all = [...operations.map((described) => withRows(described, ofRows)), ...files];
  const shared = shareRepeated(
    'parameters',
    all.flatMap(({ parameters }) => parameters),
  );

  const paths: Record<string, Record<string, OpenapiOperation>> = {};
  for (const { route, operation, parameters } of all) {
    const path = pathTemplate(route.path);
    paths[path] ??= {};
    paths[path][route.method.toString().toLowerCase()] = {
      ...operation,
      ...(parameters.length > 0 && { parameters: parameters.map(shared.use) }),
    };
  }
  const tags = new Map(all.map(({ route }) => [tagOf(route.operation).name, tagOf(route.operation)]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Premises',
      version: readVersion(),
      summary: shortAbout,
      description: about,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: basePaths.map((path, n) => ({
      url: publicUrl + path,
      description: n === 0 ? 'The service.' : 'The service at its alternative address.',
    })),
    tags: [...tags.values(), webhookTag],
    paths,
    webhooks: describeWebhooks(loggedTypes(api.resources), schemas),
    components: {
      schemas: { ...envelopes, ...schemas.all },
      parameters: { ...shared.components, ...webhookHeaders },
      responses,
      headers,
      securitySchemes,
    },
  };
}
