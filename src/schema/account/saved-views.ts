import { parseName, validateName } from '../../auth/accounts.ts';
import { lockPerson } from '../../auth/sessions/people.ts';
import { type Context, inTransaction } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import { conflict, type FieldErrors, notFound, validationError } from '../../errors.ts';
import { compareTexts } from '../../formats.ts';
import { suggest } from '../../input/index.ts';
import { defineOperation, defineType, lengthOf, type Registry, uuidArgument } from '../../resource/index.ts';

/** Maximum number of saved views of a person in a company. */
const maxViews = 200;

/** Maximum length of the search part of an address, in bytes: it is ASCII. */
const maxSearchLength = 4096;

const select = {
  id: true,
  name: true,
  resource: true,
  search: true,
  isShared: true,
  userId: true,
  updatedAt: true,
  user: { select: { fullName: true } },
} as const satisfies Prisma.SavedViewSelect;

type Selected = Prisma.SavedViewGetPayload<{ select: typeof select }>;
type Saved = Selected & { readonly isMine: boolean };

const SavedView = defineType(({ builder }) =>
  builder.objectRef<Saved>('SavedView').implement({
    description: 'A saved state of a list: its filters, order and columns.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the view.' }),
      name: t.exposeString('name', { description: 'Name.' }),
      type: t.exposeString('resource', { description: 'The GraphQL type of the rows of the list.' }),
      search: t.exposeString('search', { description: "The search part of the page's address." }),
      isShared: t.exposeBoolean('isShared', { description: 'Whether everyone in the company sees it.' }),
      isMine: t.exposeBoolean('isMine', { description: 'Whether you saved it: nobody else can change it.' }),
      savedBy: t.string({ description: 'Full name of the user who saved it.', resolve: ({ user }) => user.fullName }),
      updatedAt: t.field({
        type: 'DateTime',
        description: 'Time of the last change.',
        resolve: ({ updatedAt }) => updatedAt,
      }),
    }),
  }),
);

const SaveViewInput = defineType(({ builder }) =>
  builder.inputType('SaveViewInput', {
    description: 'A view to save.',
    fields: (t) => ({
      name: t.string({
        required: true,
        description: 'Name, up to 200 characters.',
        extensions: lengthOf('SavedView', 'name'),
      }),
      type: t.string({ required: true, description: 'The GraphQL type of the rows of the list.' }),
      search: t.string({
        required: true,
        description: "The search part of the page's address, such as `?status=PENDING`.",
        extensions: { maxLength: maxSearchLength },
      }),
      isShared: t.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether everyone in the company sees it.',
      }),
    }),
  }),
);

const ofPeople = { type: 'SavedView', path: '/saved-views', rest: false, access: 'session' } as const;

/** The views that the caller sees. */
const savedViews = defineOperation({
  ...ofPeople,
  action: 'list',
  field: 'savedViews',
  description: 'List the views that you saved, and those that others share, by name.',
  returns: (kit) => [SavedView(kit)],
  args: (arg) => ({ type: arg.string({ description: 'Only those of lists of this type.' }) }),
  run: ({ type }, context) => listVisible(context, { resource: type ?? undefined }),
});

/** Saves a view of the caller. */
const saveView = defineOperation({
  ...ofPeople,
  action: 'update',
  field: 'saveView',
  label: 'Save view',
  description: 'Save a view, or change one that you saved.',
  returns: SavedView,
  args: (arg, kit) => ({
    id: arg.id({ description: 'ID of the view to change; without it a new one is saved.' }),
    input: arg({ type: SaveViewInput(kit), required: true, description: 'The view.' }),
  }),
  run: (args, context, _info, registry) =>
    save(args.id == null ? undefined : uuidArgument(args, 'id'), args.input, context, registry),
});

/** Deletes a view of the caller. */
const deleteSavedView = defineOperation({
  ...ofPeople,
  action: 'delete',
  field: 'deleteSavedView',
  label: 'Delete view',
  description: 'Delete a view that you saved. Returns the deleted view.',
  returns: SavedView,
  args: (arg) => ({ id: arg.id({ required: true, description: 'ID of the view.' }) }),
  async run(args, context) {
    const id = uuidArgument(args, 'id');
    return inTransaction(context, async () => {
      const mine = await findMine(id, context);
      await context.db.savedView.deleteMany({ where: ofCaller(context, id) });
      return mine;
    });
  },
});

/** The operations on saved views: addresses of pages, which show everybody what they may read. */
export const savedViewOperations = [savedViews, saveView, deleteSavedView];

interface SaveView {
  readonly name: string;
  readonly type: string;
  readonly search: string;
  readonly isShared: boolean;
}

const ofCaller = ({ caller: { userId } }: Context, id?: string) => ({ userId, id });

async function listVisible(context: Context, where: Prisma.SavedViewWhereInput): Promise<Saved[]> {
  const { userId } = context.caller;
  const found = await context.reader.findMany('SavedView', {
    where: { ...where, OR: [{ userId }, { isShared: true }] },
    select,
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    // Of all people together; more are not shown in one list.
    take: 1000,
  });
  // As they were selected.
  return (found as Selected[])
    .toSorted((one, other) => compareTexts(one.name, other.name))
    .map((row) => ({ ...row, isMine: row.userId === userId }));
}

/** @throws ServiceError NOT_FOUND, for the views of others too */
async function findMine(id: string, context: Context): Promise<Saved> {
  const [found] = await listVisible(context, { id });
  if (!found?.isMine) throw notFound('saved view');
  return found;
}

/** @throws ServiceError VALIDATION_ERROR, NOT_FOUND or CONFLICT */
async function save(
  id: string | undefined,
  input: SaveView,
  context: Context,
  { resources }: Pick<Registry, 'resources'>,
): Promise<Saved> {
  const listed = resources.flatMap(({ type, actions }) => (actions.includes('list') ? [type] : []));
  const errors = check(input, listed);
  if (Object.keys(errors).length > 0) throw validationError(errors);
  const { savedView } = context.db;
  const { type: resource, search, isShared } = input;
  const data = { name: parseName('name', input.name), resource, search, isShared };
  return inTransaction(context, async () => {
    if (id !== undefined) {
      await savedView.updateMany({ where: ofCaller(context, id), data });
      return findMine(id, context);
    }
    await lockPerson(context.unscopedDb, context.caller.userId);
    if ((await savedView.count({ where: ofCaller(context) })) >= maxViews)
      throw conflict(`You have ${maxViews} saved views. Delete one first.`);
    const created = await savedView.create({ data: { ...data, userId: context.caller.userId } });
    return findMine(created.id, context);
  });
}

function check({ name, type, search }: SaveView, listed: readonly string[]): FieldErrors {
  const errors: Record<string, string> = {};
  const nameError = validateName(name);
  if (nameError) errors['name'] = nameError;
  if (!listed.includes(type)) errors['type'] = `must be the type of a list${suggest(type, listed)}`;
  // What browsers send is ASCII, without spaces.
  if (search.length > maxSearchLength || !/^(\?[!-~]*)?$/.test(search) || search.includes('#'))
    errors['search'] = `must be the search part of an address of at most ${maxSearchLength} characters`;
  return errors;
}
