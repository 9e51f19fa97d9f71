import type { Prisma } from '../database/generated/client/client.ts';
import type { StoredImport } from './stored.ts';

/** The import was cancelled, or somebody else goes on with it. */
export class Left extends Error {
  override readonly name = 'Left';
}

/** Changes an import that still has a status. @throws Left if it has another one */
export async function move(
  { companyId, id }: StoredImport,
  client: Pick<Prisma.TransactionClient, 'import'>,
  status: StoredImport['status'],
  data: Prisma.ImportUpdateManyMutationInput,
): Promise<void> {
  const { count } = await client.import.updateMany({ where: { companyId, id, status }, data });
  if (count === 0) throw new Left();
}
