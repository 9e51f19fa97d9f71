/** The maximum value of an order. */
const last = 2 ** 31 - 1;

/** A table of a checklist's ordered rows. */
interface OrderedTable {
  findMany(args: {
    where: { checklistId?: string };
    orderBy: { order: 'desc' };
    take: 1;
    select: { order: true };
  }): PromiseLike<{ order: number }[]>;
}

/** The order after the last row's. The checklist is locked, so that no two rows get the same. */
export async function nextOrder(table: OrderedTable, checklistId: string | undefined): Promise<number> {
  const [greatest] = await table.findMany({
    where: { checklistId },
    orderBy: { order: 'desc' },
    take: 1,
    select: { order: true },
  });
  return Math.min((greatest?.order ?? 0) + 1, last);
}
