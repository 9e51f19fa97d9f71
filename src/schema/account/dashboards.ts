import { parseName, validateName } from '../../auth/accounts.ts';
import { admins, roleOf } from '../../auth/roles.ts';
import { lockPerson } from '../../auth/sessions/people.ts';
import { type Context, inTransaction } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import { conflict, type FieldErrors, insufficientRole, notFound, validationError } from '../../errors.ts';
import { compareTexts, isUuid } from '../../formats.ts';
import { defineOperation, defineType, lengthOf, lockCompany, uuidArgument } from '../../resource/index.ts';
import { ChartKind, isPlace } from './charts.ts';

/** Maximum number of dashboards of a person in a company, of those of the company, and of the tiles of one. */
const maxDashboards = 50;
const maxTiles = 24;

/** One saved query on a dashboard, as it is stored. */
interface Tile {
  readonly savedQueryId: string;
  readonly part: string;
  readonly kind: string | null;
  readonly isWide: boolean;
}

const select = {
  id: true,
  name: true,
  isShared: true,
  tiles: true,
  userId: true,
  updatedAt: true,
  user: { select: { fullName: true } },
} as const satisfies Prisma.DashboardSelect;

type Selected = Prisma.DashboardGetPayload<{ select: typeof select }>;
type Shown = Omit<Selected, 'tiles'> & { readonly tiles: readonly Tile[]; readonly mayEdit: boolean };

const words = {
  savedQueryId: 'ID of the saved query.',
  part: 'The part of its result, by its place in the response; empty for values outside of lists.',
  kind: 'How it is drawn; unset as the saved query has it.',
  isWide: 'Whether it takes the whole width.',
  name: 'Name, up to 200 characters.',
  isShared: "Whether everyone in the company sees it. The company's are always shared.",
  isOfCompany: "Whether it is the company's, which admins change.",
};

const DashboardTile = defineType((kit) =>
  kit.builder.objectRef<Tile>('DashboardTile').implement({
    description: 'A saved query on a dashboard.',
    fields: (t) => ({
      savedQueryId: t.exposeID('savedQueryId', { description: words.savedQueryId }),
      part: t.exposeString('part', { description: words.part }),
      kind: t.field({ type: ChartKind(kit), nullable: true, description: words.kind, resolve: ({ kind }) => kind }),
      isWide: t.exposeBoolean('isWide', { description: words.isWide }),
    }),
  }),
);

const DashboardType = defineType((kit) =>
  kit.builder.objectRef<Shown>('Dashboard').implement({
    description: 'Saved queries that are shown together. Each runs with the permissions of whoever looks at it.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the dashboard.' }),
      name: t.exposeString('name', { description: 'Name.' }),
      isShared: t.exposeBoolean('isShared', { description: words.isShared }),
      isOfCompany: t.boolean({ description: words.isOfCompany, resolve: ({ userId }) => userId === null }),
      mayEdit: t.exposeBoolean('mayEdit', {
        description: "Whether you may change it: your own, and as an admin the company's.",
      }),
      ownedBy: t.string({
        nullable: true,
        description: "Full name of the user who has it; null if it is the company's.",
        resolve: ({ user }) => user?.fullName ?? null,
      }),
      tiles: t.field({
        type: [DashboardTile(kit)],
        description: 'What it shows, in its order.',
        resolve: ({ tiles }) => [...tiles],
      }),
      updatedAt: t.field({
        type: 'DateTime',
        description: 'Time of the last change.',
        resolve: ({ updatedAt }) => updatedAt,
      }),
    }),
  }),
);

const DashboardTileInput = defineType((kit) =>
  kit.builder.inputType('DashboardTileInput', {
    description: 'A saved query on a dashboard.',
    fields: (t) => ({
      savedQueryId: t.id({ required: true, description: words.savedQueryId }),
      part: t.string({ required: true, description: words.part }),
      kind: t.field({ type: ChartKind(kit), description: words.kind }),
      isWide: t.boolean({ required: true, defaultValue: false, description: words.isWide }),
    }),
  }),
);

const SaveDashboardInput = defineType((kit) =>
  kit.builder.inputType('SaveDashboardInput', {
    description: 'A dashboard to save.',
    fields: (t) => ({
      name: t.string({ required: true, description: words.name, extensions: lengthOf('Dashboard', 'name') }),
      isShared: t.boolean({ required: true, defaultValue: false, description: words.isShared }),
      isOfCompany: t.boolean({
        required: true,
        defaultValue: false,
        description: `${words.isOfCompany} It cannot be changed later.`,
      }),
      tiles: t.field({
        type: [DashboardTileInput(kit)],
        required: true,
        description: `What it shows, in its order: at most ${maxTiles}.`,
      }),
    }),
  }),
);

const ofPeople = { type: 'Dashboard', path: '/dashboards', rest: false, access: 'session' } as const;

const dashboards = defineOperation({
  ...ofPeople,
  action: 'list',
  field: 'dashboards',
  description: "List your dashboards, those that others share, and the company's, by name.",
  returns: (kit) => [DashboardType(kit)],
  run: (_args, context) => listVisible(context),
});

const saveDashboard = defineOperation({
  ...ofPeople,
  action: 'update',
  field: 'saveDashboard',
  label: 'Save dashboard',
  description: 'Save a dashboard, or change one of yours. Admins save and change those of the company too.',
  returns: DashboardType,
  args: (arg, kit) => ({
    id: arg.id({ description: 'ID of the dashboard to change; without it a new one is saved.' }),
    input: arg({ type: SaveDashboardInput(kit), required: true, description: 'The dashboard.' }),
    updatedAt: arg({
      type: 'DateTime',
      description: '`updatedAt` as it was read: if somebody has changed the dashboard since, this is a CONFLICT.',
    }),
  }),
  run: (args, context) => {
    const id = args.id == null ? undefined : uuidArgument(args, 'id');
    return save(id, args.input, args.updatedAt ?? undefined, context);
  },
});

const deleteDashboard = defineOperation({
  ...ofPeople,
  action: 'delete',
  field: 'deleteDashboard',
  label: 'Delete dashboard',
  description: 'Delete a dashboard that you may change. Returns the deleted dashboard.',
  returns: DashboardType,
  args: (arg) => ({ id: arg.id({ required: true, description: 'ID of the dashboard.' }) }),
  async run(args, context) {
    const id = uuidArgument(args, 'id');
    return inTransaction(context, async () => {
      const found = await findEditable(id, context);
      await context.db.dashboard.deleteMany({ where: { id } });
      return found;
    });
  },
});

/** The operations on dashboards. */
export const dashboardOperations = [dashboards, saveDashboard, deleteDashboard];

interface SaveDashboard {
  readonly name: string;
  readonly isShared: boolean;
  readonly isOfCompany: boolean;
  readonly tiles: readonly {
    readonly savedQueryId: string | number;
    readonly part: string;
    readonly kind?: string | null;
    readonly isWide: boolean;
  }[];
}

const isAdmin = ({ caller }: Context) => admins.includes(roleOf(caller));

async function listVisible(context: Context, id?: string): Promise<Shown[]> {
  const { userId } = context.caller;
  const found = await context.reader.findMany('Dashboard', {
    where: { id, OR: [{ userId }, { isShared: true }] },
    select,
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    // Of all people together; more are not shown in one list.
    take: 1000,
  });
  // As they were selected, and as `save` has stored them.
  return (found as (Omit<Selected, 'tiles'> & { tiles: { list?: readonly Tile[] } })[])
    .toSorted((one, other) => compareTexts(one.name, other.name))
    .map(({ tiles: { list = [] }, ...row }) => ({
      ...row,
      tiles: list,
      mayEdit: row.userId === null ? isAdmin(context) : row.userId === userId,
    }));
}

/** @throws ServiceError NOT_FOUND, for those that the caller may not change too */
async function findEditable(id: string, context: Context): Promise<Shown> {
  const [found] = await listVisible(context, id);
  if (!found?.mayEdit) throw notFound('dashboard');
  return found;
}

/** @throws ServiceError VALIDATION_ERROR, INSUFFICIENT_SCOPE, NOT_FOUND or CONFLICT */
async function save(
  id: string | undefined,
  input: SaveDashboard,
  readAt: Date | undefined,
  context: Context,
): Promise<Shown> {
  if (input.isOfCompany && !isAdmin(context)) throw insufficientRole('Only admins save dashboards of the company.');
  const isShared = input.isShared || input.isOfCompany;
  const errors = await check(input, isShared, context);
  if (Object.keys(errors).length > 0) throw validationError(errors);
  const tiles = input.tiles.map(({ savedQueryId, part, kind, isWide }) => ({
    savedQueryId: String(savedQueryId),
    part,
    kind: kind ?? null,
    isWide,
  }));
  const data = { name: parseName('name', input.name), isShared, tiles: { list: tiles } };
  const { dashboard } = context.db;
  return inTransaction(context, async () => {
    if (id !== undefined) {
      const { userId } = await findEditable(id, context);
      if ((userId === null) !== input.isOfCompany)
        throw validationError({ isOfCompany: 'cannot be changed: save a new dashboard' });
      const { count } = await dashboard.updateMany({ where: { id, userId, updatedAt: readAt }, data });
      if (count === 0) throw conflict('Somebody has changed this dashboard meanwhile. Load it again.');
      return findEditable(id, context);
    }
    const userId = input.isOfCompany ? null : context.caller.userId;
    await (userId === null ? lockCompany(context) : lockPerson(context.unscopedDb, userId));
    if ((await dashboard.count({ where: { userId } })) >= maxDashboards)
      throw conflict(`There are ${maxDashboards} such dashboards. Delete one first.`);
    const created = await dashboard.create({ data: { ...data, userId } });
    return findEditable(created.id, context);
  });
}

async function check({ name, tiles }: SaveDashboard, isShared: boolean, context: Context): Promise<FieldErrors> {
  const nameError = validateName(name);
  if (nameError) return { name: nameError };
  if (tiles.length > maxTiles) return { tiles: `must be at most ${maxTiles}` };
  const ids = tiles.map(({ savedQueryId }) => String(savedQueryId));
  const { userId } = context.caller;
  const found = await context.reader.findMany('SavedQuery', {
    where: { id: { in: ids.filter(isUuid) }, OR: [{ userId }, { isShared: true }] },
    select: { id: true, isShared: true },
  });
  const queries = new Map((found as { id: string; isShared: boolean }[]).map((query) => [query.id, query]));
  for (const [index, { part }] of tiles.entries()) {
    const query = queries.get(ids[index] ?? '');
    if (!query) return { [`tiles[${index}].savedQueryId`]: 'must be a saved query that you see' };
    if (isShared && !query.isShared)
      return { [`tiles[${index}].savedQueryId`]: 'must be a shared query, as others see this dashboard' };
    if (part !== '' && !isPlace(part)) return { [`tiles[${index}].part`]: 'must be a place in the response' };
  }
  return {};
}
