import { createHash, randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { ExpectedPackage, Prisma } from '../../database/generated/client/client.ts';
import { badRequest, notFound, validationError } from '../../errors.ts';
import { builder, type SchemaTypes } from '../../resource/builder.ts';
import { resource } from '../../resource/define.ts';
import { requiredOf } from '../../resource/lines.ts';
import { and, literally, type Row, readPage } from '../../resource/lists.ts';
import { columnFacts, modelFacts } from '../../resource/model.ts';
import { rootField } from '../../resource/operations.ts';
import { columnType, inputField } from '../../resource/types.ts';
import { checkBody, checkValue, type Rule, rules } from '../../resource/validate.ts';
import { delegate } from '../../resource/writes.ts';

const path = '/public/expected-packages';
const tag = {
  name: 'Expected packages',
  description: 'Guests register packages they expect and track them, without authentication.',
};
const exampleToken = 'q3Zk8Yw1T0u5VbN2xRc7Lg';

/** What a guest says of a package, besides the company. */
const said = [
  'guestName',
  'guestEmail',
  'description',
  'vendorName',
  'trackingNumber',
  'expectedDate',
  'quantity',
  'notes',
] as const;
const required = requiredOf('ExpectedPackage', said);
const emailRule: Readonly<Record<string, Rule | undefined>> = { guestEmail: rules.email };

/** The company that a package goes to, as guests know it. Nobody is a guest of a sandbox. */
const host = { select: { name: true, slug: true } } as const;
const isHost = { sandboxOfId: null };

/** A package and its company. */
type Announced = ExpectedPackage & { readonly company: { readonly name: string; readonly slug: string } };

function announcedFields(t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Announced>) {
  const column = (name: keyof ExpectedPackage) => {
    const { required, documentation } = columnFacts('ExpectedPackage', name);
    const description =
      documentation ?? (name === 'createdAt' ? 'When it was announced.' : 'When it was last changed.');
    // The column's type is the field's, which the compiler cannot see.
    return t.field({
      type: columnType('ExpectedPackage', name),
      nullable: !required,
      description,
      extensions: { column: ['ExpectedPackage', name] },
      resolve: (row) => row[name] as never,
    });
  };
  return {
    id: t.exposeID('id', { description: 'Its id, a uuid.' }),
    companySlug: t.string({
      description: 'The short name of the company it goes to.',
      extensions: { column: ['Company', 'slug'] },
      resolve: ({ company }) => company.slug,
    }),
    companyName: t.string({
      description: 'The company it goes to.',
      extensions: { column: ['Company', 'name'] },
      resolve: ({ company }) => company.name,
    }),
    ...Object.fromEntries(
      [...said, 'status', 'receivedAt', 'createdAt', 'updatedAt'].map((name) => [
        name,
        column(name as (typeof said)[number]),
      ]),
    ),
  };
}

const AnnouncedPackage = builder.objectRef<Announced>('AnnouncedPackage').implement({
  description: 'A package, to the guest who has announced it.',
  fields: announcedFields,
});

const NewAnnouncedPackage = builder.objectRef<Announced & { readonly token: string }>('NewAnnouncedPackage').implement({
  description: 'A package that was just announced, with the token that it is followed by.',
  fields: (t) => ({
    trackingToken: t.exposeString('token', {
      description: 'Finds the package again. It is shown this once.',
      extensions: { example: exampleToken },
    }),
    ...announcedFields(t as never),
  }),
});

const AnnounceInput = builder.inputType('AnnouncePackageInput', {
  description: 'A package that a guest expects.',
  fields: (t) => ({
    companySlug: t.string({
      required: true,
      description: 'The short name of the company it goes to.',
      extensions: { column: ['Company', 'slug'] },
    }),
    ...Object.fromEntries(
      said.map((column) => [
        column,
        inputField(t, 'ExpectedPackage', column, required.includes(column), emailRule[column]),
      ]),
    ),
  }),
});

rootField({
  action: 'create',
  rest: true,
  field: 'announcePackage',
  path,
  access: 'public',
  tag,
  type: 'NewAnnouncedPackage',
  description: 'Announces a package to a company, as its guest.',
  returns: NewAnnouncedPackage,
  inspect: async (body, context) => (await inspect(body, context)).faults,
  args: (arg) => ({ input: arg({ type: AnnounceInput, required: true, description: 'The package.' }) }),
  async resolve(args, context) {
    const { data, faults } = await inspect(args['input'] as Row, context);
    if (Object.keys(faults).length > 0) throw validationError(faults);
    const token = randomBytes(16).toString('base64url');
    const row = await context.db.expectedPackage.create({
      data: { ...data, tokenHash: hashOf(token) },
      include: { company: host },
    });
    return { ...row, token };
  },
});

/** Checks what a guest says, and finds the company. */
async function inspect(body: Row, { db }: Context) {
  const { data, faults } = checkBody(body, modelFacts('ExpectedPackage').columns, emailRule, required);
  const slug = checkValue(body['companySlug'] ?? null, columnFacts('Company', 'slug'));
  if ('fault' in slug) faults['companySlug'] = body['companySlug'] === undefined ? 'is required' : slug.fault;
  const company =
    'value' in slug &&
    (await db.company.findFirst({ where: { slug: String(slug.value), ...isHost }, select: { id: true } }));
  if (!company) faults['companySlug'] ??= 'names no company';
  // What was checked column by column is what the table takes, unless it has faults.
  return { data: { ...data, companyId: company && company.id } as Prisma.ExpectedPackageUncheckedCreateInput, faults };
}

/** SHA-256 of a tracking token: whoever reads the table cannot follow a package, and no clock tells how near a guess was. */
const hashOf = (token: string) => new Uint8Array(createHash('sha256').update(token).digest());

/** A package as anybody sees it who knows whom to ask for. */
const GuestPackage = resource('ExpectedPackage', {
  type: 'GuestPackage',
  path: `${path}/status`,
  scope: 'shipping',
  actions: [],
  fields: ['description', 'vendorName', 'status', 'expectedDate', 'receivedAt'],
  search: ['description', 'vendorName'],
});

rootField({
  action: 'list',
  rest: true,
  field: 'guestPackages',
  path: GuestPackage.path,
  access: 'public',
  tag,
  type: 'GuestPackage',
  description:
    'The packages that a guest has announced to a company. Nobody learns from it whether there is such a company or guest.',
  returns: GuestPackage.connection,
  args: (arg) => ({
    companySlug: arg.string({
      required: true,
      description: 'The short name of the company.',
      extensions: { column: ['Company', 'slug'] },
    }),
    email: arg.string({
      required: true,
      description: "The guest's e-mail address, in any letter case.",
      extensions: { column: ['ExpectedPackage', 'guestEmail'], rule: rules.email },
    }),
    ...GuestPackage.arguments(arg, 25),
  }),
  async resolve(args, { db, ...context }) {
    const slug = argument(args, 'companySlug', 'Company', 'slug');
    const email = argument(args, 'email', 'ExpectedPackage', 'guestEmail', rules.email);
    const { filter, query, page } = readPage(GuestPackage.listing, args, { db, ...context });
    const ofGuest = { company: { slug, ...isHost }, guestEmail: { equals: literally(email), mode: 'insensitive' } };
    const table = delegate(db, 'ExpectedPackage');
    const select = Object.fromEntries(GuestPackage.listing.columns.map((column) => [column, true]));
    const rows = await table.findMany({ ...query, select, where: and([ofGuest, query.where]) });
    return page(rows, () => table.count({ where: and([ofGuest, filter]) }));
  },
});

rootField({
  action: 'read',
  rest: true,
  field: 'announcedPackage',
  path: `${path}/:token`,
  access: 'public',
  tag,
  type: 'AnnouncedPackage',
  description: 'A package by the token that its guest was given.',
  returns: AnnouncedPackage,
  args: (arg) => ({
    token: arg.string({ required: true, description: 'The tracking token.', extensions: { example: exampleToken } }),
  }),
  async resolve(args, { db }) {
    const found = await db.expectedPackage.findUnique({
      where: { tokenHash: hashOf(String(args['token'])) },
      include: { company: host },
    });
    if (!found) throw notFound('ExpectedPackage');
    return found;
  },
});

/** A text that a column could hold, without the spaces around it. @throws ServiceError BAD_REQUEST */
function argument(args: Row, name: string, model: 'Company' | 'ExpectedPackage', column: string, rule?: Rule): string {
  const checked = checkValue(args[name], columnFacts(model, column), rule);
  if ('fault' in checked) throw badRequest(checked.fault, name);
  return String(checked.value);
}
