// The list of writes in one body, and the names of its errors.
import type { Context } from '../../context.ts';
import { type FieldErrors, ServiceError, validationError } from '../../errors.ts';
import { isUuid } from '../../formats.ts';
import { messages, oneOf } from '../../input/index.ts';
import { snakeCase } from '../../names.ts';
import type { Row } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { rowsIn } from '../write/below.ts';
import { inspectRows } from '../write/check.ts';
import { keysOf, readKey } from '../write/keys.ts';
import { readPosition } from '../write/nested-items.ts';
import type { RowWrite, Upsert, WriteOptions } from '../write/options.ts';
import { expectedEtag } from './row-arguments.ts';

/** The ways of a write in a list, in the order in which documents name them. */
export const ways = ['create', 'update', 'upsert', 'delete'] as const;
export type Way = (typeof ways)[number];

/** The name of the field that contains the writes. */
export const operations = 'operations';

/** The writes of a body, which its reader has checked by their types. */
const listed = (input: Readonly<Row>): readonly Readonly<Row>[] => (input[operations] ?? []) as Row[];

/** The way of a write; undefined unless it has exactly one. */
function wayOf(write: Readonly<Row> | undefined): Way | undefined {
  const given = ways.filter((way) => write?.[way] != null && write[way] !== false);
  return given.length === 1 ? given[0] : undefined;
}

/** What is wrong with a write that cannot be read: by field, or with the whole of it. */
type Unread = { readonly errors: FieldErrors } | { readonly error: string };

/** A write that was read, with what names its errors. */
export interface ListedWrite {
  readonly way: Way | undefined;
  readonly read: RowWrite | Upsert | Unread;
}

/** Whether a write could be read. */
export const isWrite = (read: ListedWrite['read']): read is RowWrite | Upsert => 'action' in read;

/** What rows of a resource are written with. */
type Place = Pick<WriteOptions, 'parentId' | 'listsBelow'>;

/** Reads the writes of a body. */
export const readWrites = (resource: Resource, input: Readonly<Row>, place: Place): ListedWrite[] =>
  listed(input).map((given) => {
    const way = wayOf(given);
    const error = `must have exactly one of ${ways.join(', ')}`;
    return { way, read: way === undefined ? { error } : readWrite(resource, way, given, place) };
  });

function readWrite(
  resource: Resource,
  way: Way,
  given: Readonly<Row>,
  { parentId, listsBelow }: Place,
): RowWrite | Upsert | Unread {
  const { id, etag } = given;
  const input = given[way] as Readonly<Row>;
  if (way === 'create')
    return id == null ? { action: way, input } : { errors: { id: 'of a new row belongs in create' } };
  if (way === 'upsert') {
    const keys = Object.keys(keysOf(resource));
    // The reader of input has checked that it is text.
    const by = snakeCase((given['by'] as string | null | undefined) ?? 'id');
    const key = keys.find((each) => snakeCase(each) === by);
    if (key === undefined) return { errors: { by: `must be ${oneOf(keys.map(snakeCase))}` } };
    const { data, errors } = readKey(resource, key, input, parentId);
    // The row may be known already, and then they would be an update of it.
    for (const list of listsBelow?.(resource) ?? [])
      if (rowsIn(input, list)) errors[list.relation] = 'belongs in create, as an upsert has no rows below its own';
    return Object.keys(errors).length > 0 ? { errors: errorsBelow(errors, way) } : { action: way, by: data, input };
  }
  if (id == null) return { errors: { id: messages.required } };
  if (!isUuid(id)) return { errors: { id: messages.uuid } };
  const of = { id, ifMatch: expectedEtag({ ifMatch: etag }) };
  return way === 'update' ? { action: way, input, ...of } : { action: way, ...of };
}

/** A field of a row, named from its write on: `create.title`. */
const belowWay = (field: string, way: Way | undefined): string =>
  way === undefined || way === 'delete' ? field : `${way}.${field}`;

const renamed = (errors: FieldErrors, rename: (field: string) => string): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([field, message]) => [rename(field), message]));

/** The errors of a row with its fields named from its write on. */
export const errorsBelow = (errors: FieldErrors, way: Way | undefined): FieldErrors =>
  renamed(errors, (field) => belowWay(field, way));

/** The errors of all writes, with the fields of rows named below their ways: `operations.3.create.title`. */
export const errorsByWay = (errors: FieldErrors, writes: readonly ListedWrite[]): FieldErrors =>
  renamed(errors, (place) => {
    const at = readPosition(operations, place);
    return at && at.field !== '' ? `${operations}.${at.n}.${belowWay(at.field, writes[at.n]?.way)}` : place;
  });

/** Finds the errors of writes: of those that cannot be read, and of the rows of the others. */
export async function inspectWrites(
  resource: Resource,
  writes: readonly ListedWrite[],
  options: Place & { readonly context: Context },
): Promise<FieldErrors> {
  const errors: FieldErrors = {};
  for (const [n, { read }] of writes.entries()) {
    if ('error' in read) errors[`${operations}.${n}`] = read.error;
    else if ('errors' in read)
      Object.assign(
        errors,
        renamed(read.errors, (field) => `${operations}.${n}.${field}`),
      );
  }
  // Only once its row is known, an upsert is a creation or an update.
  const known = writes.map(({ read }) => (isWrite(read) && read.action !== 'upsert' ? read : undefined));
  const ofRows = await inspectRows(resource, known, { ...options, name: operations });
  return { ...errorsByWay(ofRows, writes), ...errors };
}

/** The error of a write that cannot be read. */
export const errorOf = (unread: Unread): ServiceError =>
  'error' in unread ? new ServiceError('VALIDATION_ERROR', `A write ${unread.error}.`) : validationError(unread.errors);
