// The client through which Pothos loads what one query cannot select: fields that one row selects twice.
import DataLoader from 'dataloader';
import type { Context } from '../../context.ts';
import type { PrismaClient } from '../../database/generated/client/client.ts';
import { lowerFirst } from '../../names.ts';
import { modelNames } from '../definition/facts.ts';
import type { ModelName, Row, Where } from '../definition/model.ts';
import { getOrCreate } from '../get-or-create.ts';

/** Prisma's method that Pothos calls. */
interface FindUnique {
  readonly where: Where;
  readonly select?: Row;
}

/** The part of Prisma's client that Pothos uses, over a request's reader. */
class ReaderClient {
  constructor(private readonly context: Context) {}

  static {
    for (const model of modelNames)
      Object.defineProperty(ReaderClient.prototype, lowerFirst(model), {
        get(this: ReaderClient) {
          return tableOf(model, this.context);
        },
      });
  }
}

/**
 * Creates the client by which Pothos loads further fields of rows that were read: by the reader, so that they have only
 * rows that the caller can access.
 */
export const pothosClient = (context: Context): PrismaClient =>
  // Pothos calls nothing else of it.
  new ReaderClient(context) as unknown as PrismaClient;

/** The loaders of each context, by model and selection. */
const loaders = new WeakMap<Context, Map<string, DataLoader<string, Row>>>();

function tableOf(model: ModelName, context: Context) {
  const ofContext = getOrCreate(loaders, context, () => new Map<string, DataLoader<string, Row>>());
  return {
    findUniqueOrThrow({ where, ...args }: FindUnique): Promise<Row> {
      const key = JSON.stringify([model, args]);
      return getOrCreate(ofContext, key, () => createLoader(model, args, context)).load(idOf(where));
    },
  };
}

/** The id in a primary key, such as `{ companyId_id: { companyId, id } }`. */
const idOf = (where: Where): string => {
  // All rows that Pothos loads have an id: their types select it.
  const { id } = { ...where, ...(where['companyId_id'] as Row | undefined) } as { id?: string };
  if (id === undefined) throw new Error('Pothos loads rows by their id.');
  return id;
};

/** Loads a selection of the rows of a list, in one statement. */
const createLoader = (model: ModelName, { select = {} }: Omit<FindUnique, 'where'>, { reader }: Context) =>
  new DataLoader<string, Row>(
    async (ids) => {
      // The rows were read before: one that was just written may be accessible no longer.
      const found = await reader.findMany(model, {
        as: null,
        where: { id: { in: [...ids] } },
        select: { ...select, id: true },
      });
      const byId = new Map(found.map((row) => [String(row['id']), row]));
      return ids.map((id) => byId.get(id) ?? new Error(`${model} ${id} was deleted meanwhile.`));
    },
    { cache: false },
  );
