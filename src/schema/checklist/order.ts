/** The last place there is. */
const last = 2 ** 31 - 1;

/** Rows of a checklist that have an order. */
interface OrderedTable {
  findMany(args: {
    where: { checklistId?: string };
    orderBy: { order: 'desc' };
    take: 1;
    select: { order: true };
  }): PromiseLike<{ order: number }[]>;
}

/** The place after the greatest that a checklist has; the checklist is locked, so that no two rows get the same. */
export async function nextOrder(table: OrderedTable, checklistId: string | undefined): Promise<number> {
  const [greatest] = await table.findMany({
    where: { checklistId },
    orderBy: { order: 'desc' },
    take: 1,
    select: { order: true },
  });
  return Math.min((greatest?.order ?? 0) + 1, last);
}
