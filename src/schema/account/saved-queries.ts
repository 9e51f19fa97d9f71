import { parse } from 'graphql';
import { parseName, validateName } from '../../auth/accounts.ts';
import { lockPerson } from '../../auth/sessions/people.ts';
import { type Context, inTransaction } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import { conflict, type FieldErrors, notFound, validationError } from '../../errors.ts';
import { compareTexts } from '../../formats.ts';
import { defineOperation, defineType, lengthOf, uuidArgument } from '../../resource/index.ts';
import { checkCharts, type GivenChart, SavedChartInput, SavedChartType, shownCharts, storedCharts } from './charts.ts';
import {
  findSchedules,
  forgetProblem,
  QuerySchedule,
  QueryScheduleInput,
  type StoredSchedule,
  storeSchedule,
} from './query-schedules.ts';

/** Maximum number of saved queries of a person in a company. */
const maxQueries = 200;

/** Maximum length of a query and of its variables in characters: those of a request. */
const maxQueryLength = 50_000;
const maxVariablesLength = 20_000;

const select = {
  id: true,
  name: true,
  query: true,
  variables: true,
  isShared: true,
  charts: true,
  userId: true,
  updatedAt: true,
  user: { select: { fullName: true } },
} as const satisfies Prisma.SavedQuerySelect;

type Selected = Omit<Prisma.SavedQueryGetPayload<{ select: typeof select }>, 'charts'> & {
  /** As `save` has stored them. */
  readonly charts: Parameters<typeof shownCharts>[0];
};
type Saved = Selected & { readonly isMine: boolean; readonly schedule: StoredSchedule | null };

const SavedQuery = defineType((kit) =>
  kit.builder.objectRef<Saved>('SavedQuery').implement({
    description: 'A saved GraphQL query. It runs with the permissions of whoever runs it.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the query. GraphiQL opens it at `/graphql?saved=<id>`.' }),
      name: t.exposeString('name', { description: 'Name: the question that the query answers.' }),
      query: t.exposeString('query', { description: 'The query, as GraphQL.' }),
      variables: t.exposeString('variables', { nullable: true, description: 'Its variables, as JSON.' }),
      isShared: t.exposeBoolean('isShared', { description: 'Whether everyone in the company sees it.' }),
      isMine: t.exposeBoolean('isMine', {
        description: 'Whether you saved it. Only the person who saved a query can change it.',
      }),
      charts: t.field({
        type: [SavedChartType(kit)],
        description: 'How parts of its result are drawn. Others are drawn by their shape.',
        resolve: ({ charts }) => shownCharts(charts),
      }),
      schedule: t.field({
        type: QuerySchedule(kit),
        nullable: true,
        description: 'When it is sent by email; of your own alone.',
        resolve: ({ schedule }) => schedule,
      }),
      savedBy: t.string({ description: 'Full name of the user who saved it.', resolve: ({ user }) => user.fullName }),
      updatedAt: t.field({
        type: 'DateTime',
        description: 'Time of the last change.',
        resolve: ({ updatedAt }) => updatedAt,
      }),
    }),
  }),
);

const SaveQueryInput = defineType((kit) =>
  kit.builder.inputType('SaveQueryInput', {
    description: 'A query to save.',
    fields: (t) => ({
      name: t.string({
        required: true,
        description: 'Name: the question that the query answers, up to 200 characters.',
        extensions: lengthOf('SavedQuery', 'name'),
      }),
      query: t.string({ required: true, description: 'The query, as GraphQL.' }),
      variables: t.string({ description: 'Its variables, as a JSON object.' }),
      isShared: t.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether everyone in the company sees it.',
      }),
      charts: t.field({
        type: [SavedChartInput(kit)],
        description: 'How parts of its result are drawn; left out, they stay as they are.',
      }),
    }),
  }),
);

const ofPeople = { type: 'SavedQuery', path: '/saved-queries', rest: false, access: 'session' } as const;

/** The queries that the caller sees. */
export const savedQueries = defineOperation({
  ...ofPeople,
  action: 'list',
  field: 'savedQueries',
  description: 'List the queries that you saved, and those that others share, by name.',
  returns: (kit) => [SavedQuery(kit)],
  run: (_args, context) => listVisible(context),
});

/** Saves a query of the caller. */
export const saveQuery = defineOperation({
  ...ofPeople,
  action: 'update',
  field: 'saveQuery',
  label: 'Save query',
  description: 'Save a query, or change one that you saved.',
  returns: SavedQuery,
  args: (arg, kit) => ({
    id: arg.id({ description: 'ID of the query to change; without it a new one is saved.' }),
    input: arg({ type: SaveQueryInput(kit), required: true, description: 'The query.' }),
  }),
  run: (args, context) => save(args.id == null ? undefined : uuidArgument(args, 'id'), args.input, context),
});

/** Deletes a query of the caller. */
export const deleteSavedQuery = defineOperation({
  ...ofPeople,
  action: 'delete',
  field: 'deleteSavedQuery',
  label: 'Delete query',
  description: 'Delete a query that you saved. Returns the deleted query.',
  returns: SavedQuery,
  args: (arg) => ({ id: arg.id({ required: true, description: 'ID of the query.' }) }),
  async run(args, context) {
    const id = uuidArgument(args, 'id');
    return inTransaction(context, async () => {
      const mine = await findMine(id, context);
      await context.db.savedQuery.deleteMany({ where: ofCaller(context, id) });
      return mine;
    });
  },
});

/** Sends a query of the caller by email. */
const scheduleQuery = defineOperation({
  ...ofPeople,
  action: 'update',
  field: 'scheduleQuery',
  label: 'Schedule query',
  description: 'Send the answer to a query of yours by email, to each as they may read it; without `input`, no longer.',
  returns: SavedQuery,
  args: (arg, kit) => ({
    id: arg.id({ required: true, description: 'ID of the query.' }),
    input: arg({ type: QueryScheduleInput(kit), description: 'When, and to whom.' }),
  }),
  async run(args, context) {
    const id = uuidArgument(args, 'id');
    return inTransaction(context, async () => {
      await lockPerson(context.unscopedDb, context.caller.userId);
      await storeSchedule(await findMine(id, context), args.input, context);
      return findMine(id, context);
    });
  },
});

/**
 * The operations on saved queries. They are texts, which each person runs with their own rights. Tokens have no scope
 * for them.
 */
export const savedQueryOperations = [savedQueries, saveQuery, deleteSavedQuery, scheduleQuery];

interface SaveQuery {
  readonly name: string;
  readonly query: string;
  readonly variables?: string | null;
  readonly isShared: boolean;
  readonly charts?: readonly GivenChart[] | null;
}

const ofCaller = ({ caller: { userId } }: Context, id?: string) => ({ userId, id });

async function listVisible(context: Context, id?: string): Promise<Saved[]> {
  const { userId } = context.caller;
  const found = await context.reader.findMany('SavedQuery', {
    where: { id, OR: [{ userId }, { isShared: true }] },
    select,
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    // Of all people together; more are not shown in one list.
    take: 1000,
  });
  // As they were selected.
  const rows = found as unknown as Selected[];
  const schedules = await findSchedules(
    rows.flatMap((row) => (row.userId === userId ? [row.id] : [])),
    context,
  );
  return rows
    .toSorted((one, other) => compareTexts(one.name, other.name))
    .map((row) => ({ ...row, isMine: row.userId === userId, schedule: schedules.get(row.id) ?? null }));
}

/** @throws ServiceError NOT_FOUND, for the queries of others too */
async function findMine(id: string, context: Context): Promise<Saved> {
  const [found] = await listVisible(context, id);
  if (!found?.isMine) throw notFound('saved query');
  return found;
}

/** @throws ServiceError VALIDATION_ERROR, NOT_FOUND or CONFLICT */
async function save(id: string | undefined, input: SaveQuery, context: Context): Promise<Saved> {
  const errors = check(input);
  if (Object.keys(errors).length > 0) throw validationError(errors);
  const { savedQuery } = context.db;
  const data = {
    name: parseName('name', input.name),
    query: input.query,
    variables: input.variables?.trim() || null,
    isShared: input.isShared,
    ...(input.charts && {
      charts: storedCharts(input.charts),
    }),
  };
  return inTransaction(context, async () => {
    if (id !== undefined) {
      const { count } = await savedQuery.updateMany({ where: ofCaller(context, id), data });
      if (count > 0) await forgetProblem(context, id);
      return findMine(id, context);
    }
    await lockPerson(context.unscopedDb, context.caller.userId);
    if ((await savedQuery.count({ where: ofCaller(context) })) >= maxQueries)
      throw conflict(`You have ${maxQueries} saved queries. Delete one first.`);
    const created = await savedQuery.create({ data: { ...data, userId: context.caller.userId } });
    return findMine(created.id, context);
  });
}

function check({ name, query, variables, charts }: SaveQuery): FieldErrors {
  const errors: Record<string, string> = { ...checkCharts(charts ?? []) };
  const nameError = validateName(name);
  if (nameError) errors['name'] = nameError;
  if (query.length > maxQueryLength || query.includes('\0') || !isGraphql(query))
    errors['query'] = `must be GraphQL of at most ${maxQueryLength} characters`;
  if (variables?.trim() && (variables.length > maxVariablesLength || !isJsonObject(variables)))
    errors['variables'] = `must be a JSON object of at most ${maxVariablesLength} characters`;
  return errors;
}

function isGraphql(text: string): boolean {
  try {
    return parse(text, { maxTokens: 2000, noLocation: true }).definitions.length > 0;
  } catch {
    return false;
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !text.includes('\0');
  } catch {
    return false;
  }
}
