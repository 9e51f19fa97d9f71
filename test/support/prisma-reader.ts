import type { Prisma } from '../../src/database/generated/client/client.ts';
import type { Where } from '../../src/database/read/conditions.ts';
import type { FindArgs, Row } from '../../src/database/read/find.ts';
import type { Reader } from '../../src/database/read/reader.ts';
import { lowerFirst } from '../../src/names.ts';

/** Prisma's methods of a model. */
interface Table {
  findMany(args: FindArgs): Promise<Row[]>;
  findUnique(args: FindArgs): Promise<Row | null>;
  count(args: { where: Where }): Promise<number>;
}

/** Creates a reader whose reads are Prisma's own. */
export function prismaReader(client: Prisma.TransactionClient): Reader {
  // Known only by name, so typing ends here.
  const tableOf = (model: string) => (client as unknown as Record<string, Table>)[lowerFirst(model)] as Table;
  return {
    findMany: (model, args) => tableOf(model).findMany(args),
    findUnique: (model, args) => tableOf(model).findUnique(args),
    findWithTotal: async (model, args) => ({ rows: await tableOf(model).findMany(args) }),
    count: (model, where) => tableOf(model).count({ where }),
    matches: () => Promise.reject(new Error('Prisma matches no rows that are given.')),
    groups: () => Promise.reject(new Error('Prisma has no such groups.')),
  };
}
