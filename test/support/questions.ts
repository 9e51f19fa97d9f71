// Questions about an office, whose answers are compared with SQL written by hand. Days are those of Berlin.
import { expect } from '@jest/globals';
import { Prisma, type PrismaClient } from '../../src/database/generated/client/client.ts';
import { openSession } from './browser.ts';
import type { Client, Row } from './client.ts';
import { fillOffice } from './office-rows.ts';
import { type Service, startService, type Tenant } from './service.ts';

const rounded = (value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value);
/** A value of a group by its place, as in `orderBy`, with rounded numbers. */
export const at = (group: Row, place: string): unknown =>
  rounded(place.split('.').reduce<unknown>((inner, name) => (inner as Row | null)?.[name] ?? null, group));

/** A company with an office, beside another one. */
export class Questions {
  private constructor(
    readonly service: Service,
    readonly tenant: Tenant,
    readonly client: Client,
    /** A session of an admin of the company. */
    readonly session: Client,
  ) {}

  static async start(): Promise<Questions> {
    const service = await startService();
    const [tenant, other] = [await service.tenant(), await service.tenant()];
    for (const { company, users } of [other, tenant])
      await fillOffice(
        service.database.prisma,
        company.id,
        users.map(({ id }) => id),
      );
    return new Questions(
      service,
      tenant,
      await tenant.client(),
      (await openSession(service, tenant.users[0]?.id ?? '')).at('/api/v1'),
    );
  }

  close = () => this.service.close();

  get prisma(): PrismaClient {
    return this.service.database.prisma;
  }

  get companyId(): string {
    return this.tenant.company.id;
  }

  /** The groups of a list. @param list with its arguments @param args of its aggregates */
  async groupsOf(list: string, selection: string, args = ''): Promise<Row[]> {
    const query = `{ list: ${list} { aggregates${args && `(${args})`} { ${selection} } } }`;
    const { data, errors } = await this.client.graphql<{ list: { aggregates: Row[] } }>(query);
    expect({ query, errors }).toEqual({ query, errors: [] });
    return data.list.aggregates;
  }

  /** The error of a request for groups. */
  async errorOf(list: string, selection: string, args = ''): Promise<string | undefined> {
    const query = `{ list: ${list} { aggregates${args && `(${args})`} { ${selection} } } }`;
    const { errors } = await this.client.graphql(query);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['BAD_REQUEST']);
    return errors[0]?.message;
  }

  /** The rows of SQL, with numbers instead of decimals and days instead of times. */
  async sql(strings: TemplateStringsArray, ...values: unknown[]): Promise<unknown[][]> {
    const rows = await this.prisma.$queryRaw<Row[]>(Prisma.sql(strings, ...values));
    return rows.map((row) =>
      Object.values(row).map((value) => {
        if (Prisma.Decimal.isDecimal(value)) return rounded(value.toNumber());
        if (typeof value === 'bigint') return Number(value);
        return value instanceof Date ? value.toISOString().slice(0, 10) : value;
      }),
    );
  }

  /** Compares groups, by places in them, with rows of SQL. @param fewest how many there are at least */
  expectGroups(groups: readonly Row[], places: readonly string[], expected: readonly unknown[][], fewest = 2): void {
    expect(expected.length).toBeGreaterThanOrEqual(fewest);
    expect(groups.map((group) => places.map((place) => at(group, place)))).toEqual(expected);
  }
}
