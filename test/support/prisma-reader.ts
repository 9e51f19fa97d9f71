import type { Prisma } from '../../src/database/generated/client/client.ts';
import type { Where } from '../../src/database/read/conditions.ts';
import type { FindArgs, Row } from '../../src/database/read/find.ts';
import type { Reader } from '../../src/database/read/reader.ts';
import { lowerFirst } from '../../src/names.ts';

/** Prisma's methods of a model. */
interface Table {
  findMany(args: FindArgs): Promise<Row[]>;
  count(args: { where: Where }): Promise<number>;
}

/** Creates a reader whose reads are Prisma's own. */
export function prismaReader(client: Prisma.TransactionClient): Pick<Reader, 'findMany' | 'count'> {
  // Known only by name, so typing ends here.
  const tableOf = (model: string) => (client as unknown as Record<string, Table>)[lowerFirst(model)] as Table;
  return {
    findMany: (model, args) => tableOf(model).findMany(args),
    count: (model, where) => tableOf(model).count({ where }),
  };
}
