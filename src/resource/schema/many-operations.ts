// The operations on many rows of a resource: a list of writes, and an update or deletion of all rows that match.
import type { InputObjectRef } from '@pothos/core';
import { findMissingRead } from '../../auth/access.ts';
import type { Context } from '../../context.ts';
import { badRequest, type FieldErrors, insufficientScope, ServiceError, validationError } from '../../errors.ts';
import { messages, oneOf } from '../../input/index.ts';
import { snakeCase } from '../../names.ts';
import { withoutHidden } from '../access/hidden-columns.ts';
import { withoutState } from '../access/unread.ts';
import { etagOf, etagSelection } from '../definition/etag.ts';
import type { Row } from '../definition/model.ts';
import type { Action } from '../definition/operation.ts';
import type { Resource } from '../definition/resource.ts';
import { listFilter } from '../read/lists.ts';
import { isSelected } from '../read/query.ts';
import { keysOf } from '../write/keys.ts';
import { type ChangeOfAll, changeMatching, type WriteOutcome, writeListed } from '../write/many.ts';
import { maxWrites } from '../write/nested-items.ts';
import type { SchemaTypes } from './builder.ts';
import {
  errorOf,
  errorsBelow,
  errorsByWay,
  inspectWrites,
  isWrite,
  operations,
  readWrites,
  type Way,
  ways,
} from './listed-writes.ts';
import { sharedOf } from './many-types.ts';
import { assertParentExists, parentArgument, parentIdOf, parentWhere } from './row-arguments.ts';
import type { ArgumentBuilder, InputFieldMap, InputFields, SchemaKit } from './schema-kit.ts';
import { selectionBelow } from './selections.ts';

type Input = InputObjectRef<SchemaTypes, unknown>;

/** The inputs of the operations on one row. */
export interface InputTypes {
  readonly create?: Input;
  readonly update?: Input;
}

/** The actions on one row that a list of writes has. */
const writing = ['create', 'update', 'delete'] as const;

/** Adds the operations on many rows, as far as the resource has those on one row. */
export function addManyOperations(kit: SchemaKit, resource: Resource, inputs: InputTypes): void {
  const { isSingleton, actions } = resource;
  if (isSingleton) return;
  if (writing.some((action) => actions.includes(action))) addWrite(kit, resource, inputs);
  if (inputs.update) addChangeOfAll(kit, resource, 'update', inputs.update);
  if (actions.includes('delete')) addChangeOfAll(kit, resource, 'delete');
}

const done = {
  create: 'CREATED',
  update: 'UPDATED',
  delete: 'DELETED',
  none: 'UNCHANGED',
} as const;

function addWrite(kit: SchemaKit, resource: Resource, inputs: InputTypes): void {
  const { builder } = kit;
  const { listsBelow } = kit.registry;
  const { type, words, scope, path, rest, actions, etag, policies } = resource;
  const { many, noun, manyInNames } = words;
  const { Handling, Done, WriteError } = sharedOf(kit);
  const inRest = writing.some((action) => rest.actions.includes(action));
  // Its one operation for both APIs does nothing that REST does not do with one row.
  const does = (action: (typeof writing)[number]) => (inRest ? rest.actions : actions).includes(action);
  const keys = does('create') && does('update') ? Object.keys(keysOf(resource)) : [];
  const offered: Readonly<Record<Way, boolean>> = {
    create: does('create'),
    update: does('update'),
    upsert: keys.length > 0,
    delete: does('delete'),
  };
  const known = ways.filter((way) => offered[way]);
  const Write = builder.inputType(`${type}WriteInput`, {
    description: `A write of ${words.one}: exactly one of ${known.map((way) => `\`${way}\``).join(', ')}.`,
    fields: (t) => writeFields(t, resource, inputs, keys, offered),
  });
  const WriteInput = builder.inputType(`Write${manyInNames}Input`, {
    description: `Writes of ${many}.`,
    fields: (t) => ({
      [operations]: t.field({
        type: [Write],
        required: true,
        description: `The writes, 1 to ${maxWrites}, in their order.`,
        extensions: { minItems: 1, maxItems: maxWrites },
      }),
    }),
  });
  const readAccess = { access: `${scope}:read` } as const;
  const Result = builder.objectRef<WriteOutcome>(`${type}WriteResult`).implement({
    description: `What became of a write of ${words.one}.`,
    fields: (t) => ({
      action: t.field({
        type: Done,
        description: 'What was done with it.',
        resolve: (result) => ('error' in result ? 'REFUSED' : done[result.action]),
      }),
      id: t.id({
        nullable: true,
        description: 'Its ID. Null if refused.',
        resolve: (result) => ('error' in result ? null : String(result.row['id'])),
      }),
      etag: t.string({
        nullable: true,
        authScopes: readAccess,
        description: 'Version; null if refused or deleted.',
        resolve: (result, _args, { caller }) =>
          'error' in result || result.action === 'delete'
            ? null
            : etagOf(etag, withoutHidden(caller, policies, result.row)),
      }),
      row: t.field({
        type: kit.typesOf(resource).ref,
        nullable: true,
        authScopes: readAccess,
        description: `The ${noun}; null if refused.`,
        extensions: { isWritten: true },
        resolve: (result) => ('error' in result ? null : result.row),
      }),
      error: t.field({
        type: WriteError,
        nullable: true,
        description: 'Why it was refused. Null if written.',
        // A resolved Error would be thrown.
        resolve(result) {
          if (!('error' in result)) return null;
          const { code, reason, fieldErrors } = result.error;
          return { code, reason, fieldErrors };
        },
      }),
    }),
  });
  const asked = { action: 'write', access: `${scope}:write` } as const;
  kit.addOperation({
    ...asked,
    rest: inRest,
    field: `write${manyInNames}`,
    path: `${path}/batch`,
    type,
    label: 'Write many',
    description: `Write up to ${maxWrites} ${many} in one transaction.`,
    returns: [Result],
    usualSize: 100,
    async inspect(input, context, path) {
      const parentId = parentIdOf(resource, path);
      const writes = readWrites(resource, input, { parentId, listsBelow });
      return inspectWrites(resource, writes, { context, parentId, listsBelow });
    },
    args: (arg) => ({
      ...parentArgument(resource, arg, true),
      input: arg({ type: WriteInput, required: true, description: 'The writes.' }),
      handling: arg({
        type: Handling,
        defaultValue: 'STRICT',
        description: 'What becomes of others when one is refused.',
        extensions: { rest: false },
      }),
      ...dryRunArgument(arg),
    }),
    async resolve(args, context, info) {
      const given = args as Readonly<Row>;
      const missing = findMissingRead(context.caller, asked);
      // Before anything is written.
      if (missing && ['row', 'etag'].some((field) => isSelected(info, field))) throw insufficientScope(missing);
      const parentId = parentIdOf(resource, given);
      const writes = readWrites(resource, given['input'] as Readonly<Row>, { parentId, listsBelow });
      const isLenient = given['handling'] === 'LENIENT';
      const readable = writes.flatMap(({ read }) => (isWrite(read) ? [read] : []));
      if (!isLenient && readable.length < writes.length)
        throw validationError(await inspectWrites(resource, writes, { context, parentId, listsBelow }));
      const shown = selectionBelow(resource, 'row', context, info);
      const options = {
        context,
        name: operations,
        isLenient,
        dryRun: given['dryRun'] === true,
        parentId,
        listsBelow,
        within: parentWhere(resource, given),
        selection: { select: { ...etagSelection(etag), ...shown.select, id: true } },
      };
      /** The same error with other names; without the state of a row that the caller may not read. */
      const told = (error: ServiceError, rename: (errors: FieldErrors) => FieldErrors) => {
        const { code, reason, fieldErrors } = missing && error.code === 'CONFLICT' ? withoutState(error, noun) : error;
        return new ServiceError(code, reason, fieldErrors && rename(fieldErrors));
      };
      try {
        const written = (await writeListed(resource, readable, options))[Symbol.iterator]();
        return writes.map(({ read, way }): WriteOutcome => {
          if (!isWrite(read)) return { error: errorOf(read) };
          const { value: outcome } = written.next();
          if (!outcome) throw new Error('A write has no outcome.');
          return 'error' in outcome ? { error: told(outcome.error, (errors) => errorsBelow(errors, way)) } : outcome;
        });
      } catch (error) {
        throw error instanceof ServiceError ? told(error, (errors) => errorsByWay(errors, writes)) : error;
      }
    },
  });
}

function writeFields(
  t: InputFields,
  resource: Resource,
  { create, update }: InputTypes,
  keys: readonly string[],
  offered: Readonly<Record<Way, boolean>>,
): InputFieldMap {
  const { noun, one } = resource.words;
  return {
    ...(create && offered.create && { create: t.field({ type: create, description: `A new ${noun}.` }) }),
    ...(update &&
      offered.update && { update: t.field({ type: update, description: 'The new values of the row `id`.' }) }),
    ...(create &&
      offered.upsert && {
        upsert: t.field({
          type: create,
          description: 'The values of the row that `by` names, or of a new one.',
        }),
        by: t.string({
          description: `The key of an upserted row: ${oneOf(keys.map((key) => `\`${snakeCase(key)}\``))}. By default \`id\`.`,
          extensions: { maxLength: 100 },
        }),
      }),
    ...(offered.delete && { delete: t.boolean({ description: `Whether to delete the ${noun} \`id\`.` }) }),
    ...((offered.update || offered.delete) && {
      id: t.id({ description: `ID of ${one} to update or delete.`, extensions: { stored: resource.roles.key } }),
      etag: t.string({ description: 'The `etag` that the row must have.', extensions: { maxLength: 100 } }),
    }),
  };
}

const dryRunArgument = (arg: ArgumentBuilder) => ({
  dryRun: arg.boolean({
    defaultValue: false,
    description: 'Only try it.',
  }),
});

function addChangeOfAll(kit: SchemaKit, resource: Resource, kind: ChangeOfAll['action'], Update?: Input): void {
  const { registry } = kit;
  const { type, words, scope, path, rest } = resource;
  const { many, manyInNames } = words;
  const action: Action = `${kind}Many`;
  const asked = { action, access: `${scope}:write` } as const;
  const filter = kit.filterTypes.filter(registry.filterableOf(resource));
  kit.addOperation({
    ...asked,
    rest: rest.actions.includes(kind),
    field: `${action}${manyInNames}`,
    path,
    parameters: rest.parameters,
    type,
    label: kind === 'update' ? 'Update many' : 'Delete many',
    description: `${kind === 'update' ? 'Update' : 'Delete'} up to ${maxWrites} ${many} that match a filter, if as many as expected. Requires the read scope too.`,
    returns: sharedOf(kit).ChangedRows,
    args: (arg): InputFieldMap => ({
      ...parentArgument(resource, arg, false),
      // REST has its conditions as parameters.
      filter: arg({ type: filter, required: true, description: `Which ${many}.`, extensions: { rest: false } }),
      expectedCount: arg.int({
        required: true,
        description: 'How many match; else CONFLICT.',
      }),
      ...(Update && { input: arg({ type: Update, required: true, description: 'New values.' }) }),
      ...dryRunArgument(arg),
    }),
    async resolve(args, context) {
      const missing = findMissingRead(context.caller, asked);
      // A count tells what rows have.
      if (missing) throw insufficientScope(missing);
      const given = args as Readonly<Row>;
      await assertParentExists(resource, given, context);
      return changeMatching(
        resource,
        { where: whereOf(registry, resource, given, context), expectedCount: expectedCountOf(given) },
        kind === 'update' ? { action: kind, input: given['input'] as Readonly<Row> } : { action: kind },
        { context, within: parentWhere(resource, given), dryRun: given['dryRun'] === true },
      );
    },
  });
}

/** @throws ServiceError BAD_REQUEST */
function expectedCountOf({ expectedCount }: Readonly<Row>): number {
  const count = Number(expectedCount);
  if (count < 0 || count > maxWrites) throw badRequest(messages.between(0, maxWrites), 'expectedCount');
  return count;
}

/** The condition of a filter, which must have one. @throws ServiceError BAD_REQUEST */
function whereOf(registry: SchemaKit['registry'], resource: Resource, { filter }: Readonly<Row>, context: Context) {
  if (!hasCondition(filter)) throw badRequest('must have a condition', 'filter');
  return listFilter(registry, resource, { filter: filter as Row }, context);
}

const hasCondition = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof Date)
    ? Object.values(value).some(hasCondition)
    : value != null;
