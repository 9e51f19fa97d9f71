// Who may read a file: whoever may read a row that holds it, at that moment; as long as none does, who sent it.
import { allows } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { fileFields } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { hiddenColumns } from './hidden-columns.ts';

/** A file with the rows that hold it. */
interface HeldFile {
  readonly id: string;
  readonly userId: string | null;
  readonly holds: readonly { readonly tableName: string; readonly rowId: string }[];
}

/** How many of the rows that hold a file are asked; the others let nobody read it who may read none of these. */
const maxHolds = 100;

/**
 * Finds which files the caller may read, of those that exist, in two statements for all of them.
 *
 * @param resources all resources of the API
 */
export async function readableFiles(
  resources: readonly Resource[],
  ids: readonly string[],
  context: Context,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { reader, caller } = context;
  const found = await reader.findMany('File', {
    where: { id: { in: ids } },
    select: { id: true, userId: true, holds: { select: { tableName: true, rowId: true }, take: maxHolds } },
  });
  // As it was selected.
  const files = found as unknown as readonly HeldFile[];
  const holders = files.flatMap(({ id, holds }) => holds.map((hold) => ({ ...hold, fileId: id })));
  const readable = new Set(
    files.flatMap(({ id, userId, holds }) => (holds.length === 0 && userId === caller.userId ? id : [])),
  );
  const parts = resources.flatMap((resource) => {
    const held = holders.filter(({ tableName }) => tableName === resource.table);
    return held.length > 0 && showsFiles(resource, context) ? [{ resource, held }] : [];
  });
  const rows = await reader.accessible(
    parts.map(({ resource: { model, type }, held }) => ({ model, as: type, ids: held.map(({ rowId }) => rowId) })),
  );
  for (const [n, { held }] of parts.entries())
    for (const { rowId, fileId } of held) if (rows[n]?.has(rowId)) readable.add(fileId);
  return readable;
}

/** Whether the caller may read which files rows of a resource hold. */
function showsFiles(resource: Resource, { caller }: Context): boolean {
  const hidden = hiddenColumns(caller, resource.policies);
  return (
    allows(caller.scopes, `${resource.scope}:read`) && fileFields(resource).some(({ name }) => !hidden.includes(name))
  );
}
