// An API with fields that are stored as members of the JSON of a column.
import { boolean, date, dateTime, decimal, integer, text } from '../../src/fields/index.ts';
import { defineResource, member, rules } from '../../src/resource/index.ts';
import { changes } from '../../src/schema/changes/changes.ts';
import { meta } from '../../src/schema/meta/meta.ts';
import type { Row } from './client.ts';
import { serveBeside } from './other-api.ts';
import { type Service, startService, type Tenant } from './service.ts';

/** Paints with fields that their table has no columns for. */
export const Sample = defineResource('Paint', {
  scope: 'paint',
  fields: {
    name: {},
    shelf: member('details', integer, {
      rule: rules.atLeast(1),
      label: 'Shelf number',
      documentation: 'The shelf that it is on.',
      example: 7,
    }),
    supplier: member('details', text, { maxLength: 20 }),
    price: member('details', decimal, { precision: 8, scale: 2 }),
    opened: member('details', date),
    checkedAt: member('details', dateTime),
    sealed: member('details', boolean),
    brand: {},
  },
  list: { search: ['name', 'supplier'], columns: ['name', 'shelf'] },
  access: { actions: ['list', 'read', 'create', 'update', 'replace', 'delete'] },
  graphql: { type: 'Sample' },
  rest: { path: '/samples' },
});

/** The whole API. */
export const definitions = [Sample, ...changes, ...meta];

/** The API, served beside a service over its database. */
export class Samples {
  private constructor(
    readonly service: Service,
    readonly tenant: Tenant,
    private readonly token: string,
    private readonly other: Awaited<ReturnType<typeof serveBeside>>,
  ) {}

  static async start(): Promise<Samples> {
    const service = await startService();
    // The log has whole rows, whatever columns they have.
    await service.database.prisma.$executeRaw`ALTER TABLE paints ADD COLUMN details jsonb`;
    const tenant = await service.tenant();
    const { token = '' } = await tenant.client();
    return new Samples(service, tenant, token, await serveBeside(service, definitions));
  }

  async close(): Promise<void> {
    await this.other.close();
    await this.service.close();
  }

  /** Sends a request. */
  async ask(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    url: string,
    payload?: object,
    headers: Record<string, string> = {},
  ) {
    const authorization = `Bearer ${this.token}`;
    const answer = await this.other.inject({ method, url, headers: { authorization, ...headers }, payload });
    const { statusCode: status, body } = answer;
    // Of a list of rows or of one; a test knows which.
    const json = () => JSON.parse(body) as { data: Row & Row[]; error: Row };
    return { status, headers: answer.headers, text: body, json };
  }

  /** Creates a row, which must be valid. */
  async create(row: Row): Promise<Row> {
    const { status, text, json } = await this.ask('POST', '/api/v1/samples', row);
    if (status !== 201) throw new Error(text);
    return json().data;
  }

  /** Runs a query, which must be valid. */
  async graphql(query: string): Promise<Row> {
    const { text } = await this.ask('POST', '/graphql', { query });
    const { data, errors } = JSON.parse(text) as { data: Row; errors?: unknown };
    if (errors !== undefined) throw new Error(text);
    return data;
  }
}
