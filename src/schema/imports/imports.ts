import { permits } from '../../auth/access.ts';
import type { Scope } from '../../auth/scopes.ts';
import { type Context, inTransaction } from '../../context.ts';
import { conflict, notFound, validationError } from '../../errors.ts';
import {
  addImport,
  assertMayImport,
  beginImport,
  cancelImport,
  changeOptions,
  findSavedMapping,
  type ImportOptions,
  lockImport,
  resourceOfType,
  type StoredImport,
  storedImport,
  targetOf,
} from '../../import/index.ts';
import { defineOperation, lockCompany, maxPageSize, type Registry, uuidArgument } from '../../resource/index.ts';
import { importTypes } from './types.ts';

/** How many imports of a company may be unfinished: each may have a file. */
const maxUnfinished = 10;

export const ofImports = {
  type: 'Import',
  path: '/imports',
  words: { one: 'an import' },
  rest: true,
  access: 'caller',
  tag: { name: 'Imports', description: 'Files whose rows become rows of a resource.' },
} as const;

const id = { required: true, description: 'ID of the import.' } as const;

/** The imports that the caller may see. */
const listImports = defineOperation({
  ...ofImports,
  action: 'read',
  field: 'imports',
  usualSize: 10,
  description: `List your imports of the last 30 days, the latest first; all of the company for admins. Only those of resources that the caller may write; at most ${maxPageSize}.`,
  returns: (kit) => [importTypes(kit).Import],
  run: (_args, context, _info, registry) => visibleImports(context, registry),
});

/** One import. */
const getImport = defineOperation({
  ...ofImports,
  action: 'read',
  field: 'import',
  path: '/imports/:id',
  description: 'Get an import, with its progress.',
  returns: (kit) => importTypes(kit).Import,
  args: (arg) => ({ id: arg.id(id) }),
  run: (args, context, _info, registry) => findImport(uuidArgument(args, 'id'), context, registry),
});

/** Makes an import, which waits for its file. */
const createImport = defineOperation({
  ...ofImports,
  action: 'create',
  field: 'createImport',
  label: 'Import a file',
  description:
    'Make an import: send its file to `filePath` with PUT, and all rows are checked. It writes with the rights of the caller, who needs the write scope of the resource; a token with its scopes, as long as it is valid.',
  returns: (kit) => importTypes(kit).Import,
  args: (arg, kit) => ({
    input: arg({ type: importTypes(kit).CreateInput, required: true, description: 'The new import.' }),
  }),
  async run({ input }, context, _info, registry): Promise<StoredImport> {
    const { resource: type, savedMapping, ...given } = input as NewImport;
    const saved = savedMapping == null ? defaults : await findSavedMapping(savedMapping, type, context);
    const options = readOptions(given, saved);
    return makeImport(type, options, context, registry);
  },
});

/** Makes an import, which waits for its file. @throws ServiceError VALIDATION_ERROR, INSUFFICIENT_SCOPE, CONFLICT */
export function makeImport(
  type: string,
  options: ImportOptions,
  context: Context,
  registry: Registry,
): Promise<StoredImport> {
  const resource = registry.resources.find((each) => each.type === type);
  if (!resource) throw validationError({ resource: 'is part of another resource, and cannot be imported alone' });
  assertMayImport(context, targetOf(resource, options));
  return inTransaction(context, async () => {
    await lockCompany(context);
    const unfinished = await context.db.import.count({ where: { status: { notIn: ['IMPORTED', 'CANCELLED'] } } });
    if (unfinished >= maxUnfinished)
      throw conflict(`The company has ${maxUnfinished} imports that are not finished. Cancel one of them first.`);
    return findImport(await addImport(type, options, context), context, registry);
  });
}

/** Changes how a file is read, begins to write its rows, or takes them back. */
const updateImport = defineOperation({
  ...ofImports,
  action: 'update',
  field: 'updateImport',
  path: '/imports/:id',
  label: 'Save import',
  description:
    'Change how the file of an import is read, which checks it again; begin to write its rows (`status` IMPORTING); or cancel it (`status` CANCELLED), which takes back what it has written, but rows that others have changed since or refer to.',
  returns: (kit) => importTypes(kit).Import,
  args: (arg, kit) => ({
    id: arg.id(id),
    input: arg({ type: importTypes(kit).UpdateInput, required: true, description: 'The changes.' }),
  }),
  async run(args, context, _info, registry): Promise<StoredImport> {
    const importId = uuidArgument(args, 'id');
    const { status, ...given } = args.input as { status?: StoredImport['status'] | null } & GivenOptions;
    await findImport(importId, context, registry);
    return inTransaction(context, async () => {
      await lockImport(importId, context);
      const row = await findImport(importId, context, registry);
      if (Object.values(given).some((value) => value !== undefined)) {
        const options = readOptions(given, row.options);
        assertMayImport(context, targetOf(resourceOfType(row.type, registry), options));
        await changeOptions(row, options, context);
      }
      if (status === 'IMPORTING') await beginImport(await findImport(importId, context, registry), context);
      else if (status === 'CANCELLED') await cancelImport(row, context);
      else if (status != null) throw validationError({ status: 'must be importing or cancelled' });
      return findImport(importId, context, registry);
    });
  },
});

/** The operations on imports. */
export const importOperations = [listImports, getImport, createImport, updateImport];

/** The options of which nothing is said. */
export const defaults: ImportOptions = { mode: 'insert', handling: 'strict', autoStart: false };

type NewImport = { readonly resource: string; readonly savedMapping?: string | null } & GivenOptions;

/** What a client gives of the options. */
export type GivenOptions = {
  readonly [Name in Exclude<keyof ImportOptions, 'mapping' | 'handling'>]?: ImportOptions[Name] | null;
} & {
  readonly handling?: 'STRICT' | 'LENIENT' | null;
  readonly mapping?: readonly { readonly column: string; readonly field?: string | null }[] | null;
};

/** The options as they are stored; null takes back what was said before. */
export function readOptions(given: GivenOptions, before: ImportOptions): ImportOptions {
  const { mode, handling, autoStart, mapping, ...others } = given;
  const merged = Object.fromEntries(
    Object.entries({ ...before, ...dropUndefined(others) }).filter(([, value]) => value !== null),
  );
  const fields = mapping && Object.fromEntries(mapping.map(({ column, field }) => [column, field ?? null]));
  return {
    ...(merged as unknown as ImportOptions),
    mode: mode ?? before.mode,
    handling: handling ? (handling.toLowerCase() as ImportOptions['handling']) : before.handling,
    autoStart: autoStart ?? before.autoStart,
    mapping: mapping === undefined ? before.mapping : (fields ?? undefined),
  };
}

const dropUndefined = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Whether the caller may write rows of a type. */
export const mayWrite = (type: string, { caller }: Context, { resources }: Registry): boolean => {
  const resource = resources.find((each) => each.type === type);
  return resource !== undefined && permits(caller, `${resource.scope}:write` as Scope);
};

/** Finds an import that the caller may see. @throws ServiceError NOT_FOUND */
export async function findImport(id: string, context: Context, registry: Registry): Promise<StoredImport> {
  const [found] = await visibleImports(context, registry, id);
  if (!found) throw notFound('import');
  return found;
}

/** Those of the caller, for admins of all, of resources that they may write: the latest. */
async function visibleImports(context: Context, registry: Registry, id?: string): Promise<StoredImport[]> {
  const { userId, role } = context.caller;
  const found = await context.db.import.findMany({
    where: { id, ...(role !== 'ADMIN' && { userId }) },
    orderBy: { id: 'desc' },
    take: maxPageSize,
  });
  return found.map(storedImport).filter(({ type }) => mayWrite(type, context, registry));
}
