import type { Prisma, PrismaClient } from './generated/client/client.ts';
import facts from './generated/facts.ts';
import type { Row } from './read/find.ts';
import { modelOf } from './read/schema-models.ts';
import type { Roles } from './stored-field.ts';
import type { Writer } from './write/writer.ts';

type Operations<Model extends Prisma.ModelName> = Prisma.TypeMap['model'][Model]['operations'];

/** A row of a model, with all its columns. */
type Scalars<Model extends Prisma.ModelName> = Prisma.TypeMap['model'][Model]['payload']['scalars'];

/** The models whose rows belong to a company. */
type TenantModel = {
  [Model in Prisma.ModelName]: 'companyId' extends keyof Scalars<Model> ? Model : never;
}[Prisma.ModelName];

/** The columns of a new row, without the company. */
type NewRow<Model extends Prisma.ModelName> = Omit<
  Exclude<Operations<Model>['createMany']['args']['data'], readonly unknown[]>,
  'companyId'
>;

/** Prisma's methods that take any condition: the company is added to it. */
type ConditionMethod =
  | 'findMany'
  | 'findFirst'
  | 'findFirstOrThrow'
  | 'count'
  | 'aggregate'
  | 'groupBy'
  | 'updateMany'
  | 'deleteMany';

/** One model's rows of one company. Conditions and new rows do not name the company. */
type TenantTable<Model extends TenantModel> = Pick<PrismaClient[Uncapitalize<Model>], ConditionMethod | 'fields'> & {
  create(args: { data: NewRow<Model> }): Promise<Scalars<Model>>;
  createMany(args: { data: NewRow<Model>[]; skipDuplicates?: boolean }): Promise<{ count: number }>;
  update(args: { where: { id: string }; data: Operations<Model>['updateMany']['args']['data'] }): Promise<void>;
};

/** Prisma's client for one company: it neither reads nor writes rows of other companies. */
export type TenantClient = { readonly [Model in TenantModel as Uncapitalize<Model>]: TenantTable<Model> };

type Method = (args: object) => Promise<unknown>;
type Table = Readonly<Record<string, Method>>;
interface Args {
  readonly where?: object;
  readonly data?: object;
}

/**
 * Creates the client of one company.
 *
 * @param at the time of its writes, where it is not now
 */
export const tenantClient = (
  { prisma, writer }: { readonly prisma: Prisma.TransactionClient; readonly writer: Writer },
  companyId: string,
  at?: Date,
): TenantClient =>
  // Built by name from the metadata of the same schema that the type is derived from.
  new ScopedTables(prisma, writer, companyId, at) as unknown as TenantClient;

/** Creates a model's table on first use: a request uses few. */
class ScopedTables {
  private readonly tables = new Map<string, object>();

  constructor(
    private readonly client: Prisma.TransactionClient,
    private readonly writer: Writer,
    private readonly companyId: string,
    private readonly at: Date | undefined,
  ) {}

  static {
    for (const model of Object.keys(facts.models)) {
      const { roles } = modelOf(model);
      if (!roles.company) continue;
      const name = model.charAt(0).toLowerCase() + model.slice(1);
      Object.defineProperty(ScopedTables.prototype, name, {
        get(this: ScopedTables) {
          const known = this.tables.get(name);
          if (known) return known;
          const stamps = this.at ? stampsOf(roles, this.at) : noStamps;
          const table = {
            // By a name that the metadata of the schema has.
            ...scopeTable(model, (this.client as unknown as Record<string, Table>)[name], this.companyId, stamps),
            create: ({ data }: { data: Row }) =>
              this.writer.create(model, { ...data, companyId: this.companyId }, { at: this.at }),
          };
          this.tables.set(name, table);
          return table;
        },
      });
    }
  }
}

/** The timestamps of new and changed rows. */
interface Stamps {
  readonly created: object;
  readonly updated: object;
}

const noStamps: Stamps = { created: {}, updated: {} };

function stampsOf({ creation, update }: Roles, at: Date): Stamps {
  const updated = update ? { [update.name]: at } : {};
  return { created: { ...(creation && { [creation.name]: at }), ...updated }, updated };
}

/** The methods of a model that resolvers may call, each with the company added; there are no others. */
function scopeTable(model: string, table: Table | undefined, companyId: string, { created, updated }: Stamps): object {
  if (!table) throw new Error('Prisma has no such model.');
  // The methods that are called are those of Prisma.
  const call = (method: string, args: object) => (table[method] as Method)(args);
  const within = (where: object = {}) => ({ AND: [{ companyId }, withCompany(model, where, companyId)] });
  const own = (data: object) => ({ ...created, ...data, companyId });
  const conditional =
    (method: ConditionMethod) =>
    (args: Args = {}) =>
      call(method, { ...args, where: within(args.where) });
  return {
    fields: table['fields'],
    findMany: conditional('findMany'),
    findFirst: conditional('findFirst'),
    findFirstOrThrow: conditional('findFirstOrThrow'),
    count: conditional('count'),
    aggregate: conditional('aggregate'),
    groupBy: conditional('groupBy'),
    updateMany: ({ where, data }: Args = {}) =>
      call('updateMany', { where: within(where), data: { ...updated, ...data } }),
    deleteMany: conditional('deleteMany'),
    createMany: (args: { data: object[] }) => call('createMany', { ...args, data: args.data.map(own) }),
    async update(args: { where: { id: string }; data: object }) {
      const where = { companyId_id: { companyId, id: args.where.id } };
      await call('update', { where, data: { ...updated, ...args.data }, select: { companyId: true } });
    },
  };
}

/** Where an object of conditions is one of a relation's rows. */
const quantifiers = ['is', 'isNot', 'some', 'none', 'every'];

/**
 * Adds the company to the conditions on related rows. Their keys contain it already; so every table of the statement is
 * compared with the same parameter, as in the reader's statements.
 */
function withCompany(name: string, where: object, companyId: string): object {
  const model = modelOf(name);
  const each = ([key, value]: [string, unknown]): [string, unknown] => {
    if (typeof value !== 'object' || value === null) return [key, value];
    if (key === 'AND' || key === 'OR' || key === 'NOT')
      return [
        key,
        Array.isArray(value)
          ? value.map((one: object) => withCompany(name, one, companyId))
          : withCompany(name, value, companyId),
      ];
    const join = model.joins[key];
    if (!join || !modelOf(join.model).roles.company) return [key, value];
    const related = (condition: object | null) =>
      condition && { AND: [{ companyId }, withCompany(join.model, condition, companyId)] };
    if (!Object.keys(value).some((quantifier) => quantifiers.includes(quantifier))) return [key, related(value)];
    // Prisma's types allow nothing else beside them.
    return [
      key,
      Object.fromEntries(Object.entries(value).map(([quantifier, one]) => [quantifier, related(one as object | null)])),
    ];
  };
  return Object.fromEntries(Object.entries(where).map(each));
}
