// Writes of hooks: the service writes another row because a client wrote one. They take the same steps, in the
// transaction of the client's write and in its name; but no role decides, and fields that clients only read can be set.
import type { Context } from '../../context.ts';
import type { Data, Shape } from '../definition/hooks.ts';
import type { ModelName, Row, Where } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { checkWrites } from './check.ts';
import { type NewRows, writableColumns } from './input.ts';
import type { RowWrite, WriteOptions } from './options.ts';
import { takeSteps } from './steps.ts';

/** The resource of a row; of other resources hooks know no more than the model. */
type Target<Model extends ModelName> = Pick<Resource<Model>, 'model'>;

/**
 * Creates a row of another resource.
 *
 * @throws ServiceError that names the fields of that resource
 */
export async function createBySystem<Model extends ModelName>(
  resource: Target<Model>,
  input: Data<Model>,
  { context, parentId }: Pick<WriteOptions, 'context' | 'parentId'>,
): Promise<Shape<Model> & Row> {
  const options = { context, parentId };
  const [row] = await writeBySystem(resource, [{ action: 'create', input }], options);
  // A write without a selection returns all columns.
  return row as Shape<Model> & Row;
}

/**
 * Updates a locked row of another resource.
 *
 * @param previous the row with all its columns
 * @throws ServiceError that names the fields of that resource
 */
export async function updateBySystem<Model extends ModelName>(
  resource: Target<Model>,
  previous: Shape<Model> & { readonly id: string },
  input: Data<Model>,
  context: Context,
): Promise<void> {
  const write = { action: 'update', id: previous.id, input } as const;
  await writeBySystem(resource, [write], { context }, new Map<string, Row>([[previous.id, previous]]));
}

/**
 * Updates all rows of another resource that match a condition, as they are once they are locked.
 *
 * @throws ServiceError that names the fields of that resource
 */
export async function updateAllBySystem<Model extends ModelName>(
  resource: Target<Model> & Pick<Resource, 'type'>,
  where: Where,
  input: Data<Model>,
  context: Context,
): Promise<void> {
  const { model, type } = resource;
  const rows = await context.reader.findMany(model, { as: type, where, orderBy: { id: 'asc' }, lock: true });
  const locked = new Map(rows.map((row) => [String(row['id']), row]));
  const writes = [...locked.keys()].map((id) => ({ action: 'update', id, input }) as const);
  await writeBySystem(resource, writes, { context }, locked);
}

/** Takes the steps of writes in the current transaction, whose last statement follows. */
async function writeBySystem(
  target: Target<ModelName>,
  writes: readonly RowWrite[],
  given: Pick<WriteOptions, 'context' | 'parentId'>,
  locked?: ReadonlyMap<string, Row>,
): Promise<Row[]> {
  // Typed by the model's rows for callers; from here on rows are plain objects.
  const resource = target as Resource;
  const options = { ...given, bySystem: true, isPart: true, locked };
  const written = await takeSteps(resource, await checkWrites(resource, writes, options), options);
  return written.map(({ row }) => row);
}

/** The columns of a row that clients set, for a new row that is like it: other systems know the first one only. */
export function copyOf<Model extends ModelName>(resource: Resource<Model>, row: Shape<Model>): Data<Model> {
  const { externalSource, externalId } = resource.roles;
  const copied = writableColumns(resource as unknown as NewRows, 'create').filter(
    (column) => column !== externalSource?.name && column !== externalId?.name,
  );
  return Object.fromEntries(copied.map((column) => [column, (row as Row)[column]])) as Data<Model>;
}
