import { parseName } from '../../auth/accounts.ts';
import { lockPerson } from '../../auth/sessions/people.ts';
import { type Context, inTransaction } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import { conflict, insufficientRole, notFound, validationError } from '../../errors.ts';
import {
  assertMayImport,
  type ImportOptions,
  resourceOfType,
  type SavedMapping,
  savedMapping,
  targetOf,
  visibleMappings,
} from '../../import/index.ts';
import {
  column,
  defineOperation,
  defineType,
  type InputFields,
  lengthOf,
  lockCompany,
  type Registry,
  uuidArgument,
} from '../../resource/index.ts';
import { sharedTypes } from '../changes/types.ts';
import { defaults, type GivenOptions, mayWrite, ofImports, readOptions } from './imports.ts';
import { importTypes, optionFields } from './types.ts';

/** Maximum number of saved mappings of a person in a company. */
const maxMappings = 200;

const types = defineType((kit) => {
  const { builder } = kit;
  const { ofFile } = importTypes(kit);
  const { ChangedResource } = sharedTypes(kit);
  const { Mode, Decimal, DateOrder, Separator, Handling } = ofFile;
  const MappedColumn = builder
    .objectRef<{ readonly column: string; readonly field: string | null }>('MappedImportColumn')
    .implement({
      description: 'The field of a column.',
      fields: (t) => ({
        column: t.exposeString('column', { description: 'The header of the column, or its position from 1.' }),
        field: t.exposeString('field', { nullable: true, description: 'The field. Null if the column is not read.' }),
      }),
    });
  const ImportMapping = builder.objectRef<SavedMapping>('ImportMapping').implement({
    description: 'How files of one kind are imported, saved under a name.',
    fields: (t) => ({
      id: t.exposeID('id', {
        description: 'ID of the mapping.',
        extensions: { stored: column('ImportMapping', 'id') },
      }),
      name: t.exposeString('name', { description: 'Name.' }),
      resource: t.field({ type: ChangedResource, description: 'What the rows are.', resolve: ({ type }) => type }),
      isShared: t.exposeBoolean('isShared', { description: 'Whether it is one of the company.' }),
      userId: t.exposeID('userId', {
        description: 'ID of the user who saved it.',
        extensions: { stored: column('User', 'id') },
      }),
      mode: t.field({ type: Mode, description: 'What becomes of the rows.', resolve: ({ options }) => options.mode }),
      key: t.string({
        nullable: true,
        description: 'The fields that name a stored row, with commas.',
        resolve: ({ options }) => options.key ?? null,
      }),
      handling: t.field({
        type: Handling,
        description: 'Whether rows with errors keep all others from being written.',
        resolve: ({ options }) => options.handling.toUpperCase(),
      }),
      decimal: t.field({
        type: Decimal,
        nullable: true,
        description: 'How decimals are written.',
        resolve: ({ options }) => options.decimal ?? null,
      }),
      dateOrder: t.field({
        type: DateOrder,
        nullable: true,
        description: 'How days are written.',
        resolve: ({ options }) => options.dateOrder ?? null,
      }),
      separator: t.field({
        type: Separator,
        nullable: true,
        description: 'What separates cells.',
        resolve: ({ options }) => options.separator ?? null,
      }),
      encoding: t.string({
        nullable: true,
        description: 'Encoding of the file.',
        resolve: ({ options }) => options.encoding ?? null,
      }),
      mapping: t.field({
        type: [MappedColumn],
        description: 'The fields of columns that are called otherwise.',
        resolve: ({ options: { mapping = {} } }) =>
          Object.entries(mapping).map(([title, field]) => ({ column: title, field })),
      }),
      updatedAt: t.field({
        type: 'DateTime',
        description: 'Time of the last change.',
        resolve: ({ updatedAt }) => updatedAt,
      }),
    }),
  });
  const fieldsOf = (t: InputFields, required: boolean) => ({
    name: t.string({ required, description: 'Name.', extensions: lengthOf('ImportMapping', 'name') }),
    isShared: t.boolean({ description: 'Whether it is one of the company: admins alone save those.' }),
    ...optionFields(kit, t, ofFile),
  });
  return {
    ImportMapping,
    CreateInput: builder.inputType('CreateImportMappingInput', {
      description: 'A new saved mapping.',
      fields: (t) => ({
        resource: t.field({ type: ChangedResource, required: true, description: 'What the rows of files are.' }),
        ...fieldsOf(t, true),
      }),
    }),
    UpdateInput: builder.inputType('UpdateImportMappingInput', {
      description: 'Changes of a saved mapping.',
      fields: (t) => fieldsOf(t, false),
    }),
  };
});

const ofMappings = {
  ...ofImports,
  type: 'ImportMapping',
  path: '/import-mappings',
  words: { one: 'a saved mapping' },
} as const;

const id = { required: true, description: 'ID of the mapping.' } as const;

/** The mappings that the caller may use. */
const listMappings = defineOperation({
  ...ofMappings,
  action: 'read',
  field: 'importMappings',
  usualSize: 10,
  description:
    'List the mappings that you saved, and those of the company, by name. Only those of resources that the caller may write.',
  returns: (kit) => [types(kit).ImportMapping],
  run: (_args, context, _info, registry) => visible(context, registry),
});

const getMapping = defineOperation({
  ...ofMappings,
  action: 'read',
  field: 'importMapping',
  path: '/import-mappings/:id',
  description: 'Get a saved mapping.',
  returns: (kit) => types(kit).ImportMapping,
  args: (arg) => ({ id: arg.id(id) }),
  run: (args, context, _info, registry) => find(uuidArgument(args, 'id'), context, registry),
});

const createMapping = defineOperation({
  ...ofMappings,
  action: 'create',
  field: 'createImportMapping',
  label: 'Save mapping',
  description: 'Save how files of one kind are imported, for yourself or, as an admin, for the company.',
  returns: (kit) => types(kit).ImportMapping,
  args: (arg, kit) => ({
    input: arg({ type: types(kit).CreateInput, required: true, description: 'The new mapping.' }),
  }),
  async run({ input }, context, _info, registry): Promise<SavedMapping> {
    const { resource: type, name, isShared, ...given } = input as { resource: string; name: string } & Given;
    const options = check(type, readOptions(given, defaults), context, registry);
    const data = { name: parseName('name', name), isShared: isShared ?? false, type, options: asJson(options) };
    const { userId } = context.caller;
    return inTransaction(context, async () => {
      await lock(data.isShared, context);
      if ((await context.db.importMapping.count({ where: { userId } })) >= maxMappings)
        throw conflict(`You have ${maxMappings} saved mappings. Delete one first.`);
      await assertNameFree(data, undefined, context);
      return savedMapping(await context.db.importMapping.create({ data: { ...data, userId } }));
    });
  },
});

const updateMapping = defineOperation({
  ...ofMappings,
  action: 'update',
  field: 'updateImportMapping',
  path: '/import-mappings/:id',
  label: 'Save mapping',
  description: 'Change a mapping that you saved or, as an admin, one of the company.',
  returns: (kit) => types(kit).ImportMapping,
  args: (arg, kit) => ({
    id: arg.id(id),
    input: arg({ type: types(kit).UpdateInput, required: true, description: 'The changes.' }),
  }),
  async run(args, context, _info, registry): Promise<SavedMapping> {
    const mappingId = uuidArgument(args, 'id');
    const { name, isShared, ...given } = args.input as { name?: string | null } & Given;
    return inTransaction(context, async () => {
      const seen = await findMine(mappingId, context, registry);
      await lock(seen.isShared || isShared === true, context, seen.userId);
      const row = await findMine(mappingId, context, registry);
      const options = check(row.type, readOptions(given, row.options), context, registry);
      const data = {
        name: name == null ? row.name : parseName('name', name),
        isShared: isShared ?? row.isShared,
        options: asJson(options),
      };
      await assertNameFree({ ...row, ...data }, mappingId, context);
      await context.db.importMapping.updateMany({ where: { id: mappingId }, data });
      return find(mappingId, context, registry);
    });
  },
});

const deleteMapping = defineOperation({
  ...ofMappings,
  action: 'delete',
  field: 'deleteImportMapping',
  path: '/import-mappings/:id',
  label: 'Delete mapping',
  description: 'Delete a mapping that you saved or, as an admin, one of the company. Returns the deleted mapping.',
  returns: (kit) => types(kit).ImportMapping,
  args: (arg) => ({ id: arg.id(id) }),
  async run(args, context, _info, registry): Promise<SavedMapping> {
    const mappingId = uuidArgument(args, 'id');
    return inTransaction(context, async () => {
      const row = await findMine(mappingId, context, registry);
      await context.db.importMapping.deleteMany({ where: { id: mappingId } });
      return row;
    });
  },
});

/** The operations on saved mappings. They give nobody rights: an import with one writes as its maker may. */
export const importMappingOperations = [listMappings, getMapping, createMapping, updateMapping, deleteMapping];

type Given = { readonly isShared?: boolean | null } & GivenOptions;

const asJson = (options: ImportOptions): Prisma.InputJsonObject =>
  JSON.parse(JSON.stringify(options)) as Prisma.InputJsonObject;

/** @throws ServiceError where imports could not have these options, or the caller may not make them */
function check(type: string, options: ImportOptions, context: Context, registry: Registry): ImportOptions {
  if (!registry.resources.some((each) => each.type === type))
    throw validationError({ resource: 'is part of another resource, and cannot be imported alone' });
  assertMayImport(context, targetOf(resourceOfType(type, registry), options));
  return options;
}

/** Lets the names of a person, or of a company, be given one after the other. @throws ServiceError for a role */
async function lock(isShared: boolean, context: Context, userId = context.caller.userId): Promise<void> {
  if (isShared && context.caller.role !== 'ADMIN') throw insufficientRole('Only admins save mappings for the company.');
  if (isShared) await lockCompany(context);
  await lockPerson(context.unscopedDb, userId);
}

/** @throws ServiceError VALIDATION_ERROR for a name that the person, or the company, has already */
async function assertNameFree(
  { name, isShared, userId }: { readonly name: string; readonly isShared: boolean; readonly userId?: string },
  own: string | undefined,
  { db, caller }: Context,
): Promise<void> {
  const others = await db.importMapping.count({
    where: {
      name,
      OR: [{ userId: userId ?? caller.userId }, ...(isShared ? [{ isShared }] : [])],
      ...(own !== undefined && { id: { not: own } }),
    },
  });
  if (others > 0) throw validationError({ name: 'is taken' });
}

/** @throws ServiceError NOT_FOUND */
async function find(mappingId: string, context: Context, registry: Registry): Promise<SavedMapping> {
  const [found] = await visible(context, registry, mappingId);
  if (!found) throw notFound('saved mapping');
  return found;
}

/** Finds one that the caller may change. @throws ServiceError NOT_FOUND, or INSUFFICIENT_SCOPE */
async function findMine(mappingId: string, context: Context, registry: Registry): Promise<SavedMapping> {
  const found = await find(mappingId, context, registry);
  if (found.isShared && context.caller.role !== 'ADMIN')
    throw insufficientRole('Only admins change the mappings of the company.');
  return found;
}

async function visible(context: Context, registry: Registry, mappingId?: string): Promise<SavedMapping[]> {
  const rows = await context.db.importMapping.findMany({
    where: { ...(mappingId !== undefined && { id: mappingId }), ...visibleMappings(context) },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    // Of all people together; more are not shown in one list.
    take: 1000,
  });
  return rows.map(savedMapping).filter(({ type }) => mayWrite(type, context, registry));
}
