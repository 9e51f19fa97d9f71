import { createHash, randomBytes } from 'node:crypto';
import { type Context, inTransaction } from '../../context.ts';
import type { ExpectedPackage, Prisma } from '../../database/generated/client/client.ts';
import { badRequest, notFound, validationError } from '../../errors.ts';
import {
  before,
  checkBody,
  checkValue,
  columnFacts,
  etagOf,
  etagParts,
  extendSchema,
  type Listing,
  literally,
  modelFacts,
  type Row,
  type Rule,
  readPage,
  requiredColumns,
  rules,
  type SchemaKit,
  type SchemaTypes,
  since,
} from '../../resource/index.ts';

const path = '/public/expected-packages';
const tag = {
  name: 'Expected packages',
  description: 'Guests register packages they expect and track them, without authentication.',
};
const exampleToken = 'q3Zk8Yw1T0u5VbN2xRc7Lg';

/** What a guest says of a package, besides the company. */
const inputColumns = [
  'guestName',
  'guestEmail',
  'description',
  'vendorName',
  'trackingNumber',
  'expectedDate',
  'quantity',
  'notes',
] as const;
const required = requiredColumns('ExpectedPackage', inputColumns);
const emailRule: Readonly<Record<string, Rule | undefined>> = { guestEmail: rules.email };

/** The company that a package goes to, as guests know it. Nobody is a guest of a sandbox. */
const company = { select: { name: true, slug: true } } as const;
const isHost = { sandboxOfId: null };

/** A package and its company. */
type AnnouncedRow = ExpectedPackage & { readonly company: { readonly name: string; readonly slug: string } };

/** What anybody sees of a package who knows the guest's address. */
const guestPackages = {
  type: 'GuestPackage',
  model: 'ExpectedPackage',
  columns: ['id', 'description', 'vendorName', 'status', 'expectedDate', 'receivedAt', 'createdAt', 'updatedAt'],
  search: ['description', 'vendorName'],
  filters: { createdAfter: since('createdAt'), createdBefore: before('createdAt') },
} as const satisfies Listing;

/**
 * Adds what guests do: they announce packages to a company, follow one by its token, and list their own. They belong to no
 * company, so these operations ask the whole database, and find the company by its slug.
 */
export const guestOperations = extendSchema((kit) => {
  addAnnounce(kit);
  addGuestPackages(kit);
});

function addAnnounce(kit: SchemaKit): void {
  const { builder } = kit;
  const fieldsOf = (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, AnnouncedRow>) => ({
    id: t.exposeID('id', { description: 'The id, a uuid.' }),
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
    ...columnFields(kit, t, [...inputColumns, 'status', 'receivedAt', 'createdAt', 'updatedAt']),
  });
  const AnnouncedPackage = builder.objectRef<AnnouncedRow>('AnnouncedPackage').implement({
    description: 'A package, as the guest who announced it sees it.',
    fields: fieldsOf,
  });
  const NewAnnouncedPackage = builder
    .objectRef<AnnouncedRow & { readonly token: string }>('NewAnnouncedPackage')
    .implement({
      description: 'A package that was just announced, with its tracking token.',
      fields: (t) => ({
        trackingToken: t.exposeString('token', {
          description: 'Finds the package again. It is shown only once.',
          extensions: { example: exampleToken },
        }),
        // A new package is a package; Pothos's builders are bound to one type each.
        ...fieldsOf(t as never),
      }),
    });
  const Input = builder.inputType('AnnouncePackageInput', {
    description: 'A package that a guest expects.',
    fields: (t) => ({
      companySlug: t.string({
        required: true,
        description: 'The short name of the company it goes to.',
        extensions: { column: ['Company', 'slug'] },
      }),
      ...Object.fromEntries(
        inputColumns.map((column) => [
          column,
          kit.inputField(t, 'ExpectedPackage', column, required.includes(column), emailRule[column]),
        ]),
      ),
    }),
  });
  kit.addOperation({
    action: 'create',
    rest: true,
    field: 'announcePackage',
    path,
    access: 'public',
    tag,
    type: 'NewAnnouncedPackage',
    description: 'Announce a package to a company, as its guest.',
    returns: NewAnnouncedPackage,
    inspect: async (body, context) => (await checkAnnouncement(body, context)).errors,
    args: (arg) => ({ input: arg({ type: Input, required: true, description: 'The package.' }) }),
    async resolve(args, context) {
      const { data, errors } = await checkAnnouncement(args['input'] as Row, context);
      if (Object.keys(errors).length > 0) throw validationError(errors);
      const token = randomBytes(16).toString('base64url');
      const row = await inTransaction(context, ({ unscopedDb }) =>
        unscopedDb.expectedPackage.create({ data: { ...data, tokenHash: hashToken(token) }, include: { company } }),
      );
      return { ...row, token };
    },
  });
  kit.addOperation({
    action: 'read',
    rest: true,
    field: 'announcedPackage',
    path: `${path}/:token`,
    access: 'public',
    tag,
    type: 'AnnouncedPackage',
    description: 'Get a package by its tracking token.',
    returns: AnnouncedPackage,
    args: (arg) => ({
      token: arg.string({ required: true, description: 'The tracking token.', extensions: { example: exampleToken } }),
    }),
    async resolve(args, { unscopedDb }) {
      const tokenHash = hashToken(String(args['token']));
      const found = await unscopedDb.expectedPackage.findUnique({ where: { tokenHash }, include: { company } });
      if (!found) throw notFound('ExpectedPackage');
      return found;
    },
  });
}

function addGuestPackages(kit: SchemaKit): void {
  const parts = etagParts(guestPackages.columns);
  const GuestPackage = kit.builder.objectRef<ExpectedPackage>('GuestPackage').implement({
    description: 'A package, as anybody sees it who knows the company and the address it was announced with.',
    fields: (t) => ({
      ...columnFields(kit, t, guestPackages.columns),
      etag: t.string({
        description: 'The version of the package.',
        extensions: { rest: false },
        resolve: (row) => etagOf(parts, row),
      }),
    }),
  });
  const { connection, listArguments } = kit.addListTypes(guestPackages, GuestPackage);
  kit.addOperation({
    action: 'list',
    rest: true,
    field: 'guestPackages',
    path: `${path}/status`,
    access: 'public',
    tag,
    type: 'GuestPackage',
    description:
      'List the packages that a guest has announced to a company. It does not tell whether there is such a company or guest.',
    returns: connection,
    args: (arg) => ({
      companySlug: arg.string({
        required: true,
        description: 'The short name of the company.',
        extensions: { column: ['Company', 'slug'] },
      }),
      email: arg.string({
        required: true,
        description: "The guest's email address, ignoring case.",
        extensions: { column: ['ExpectedPackage', 'guestEmail'], rule: rules.email },
      }),
      ...listArguments(arg, 25),
    }),
    async resolve(args, context) {
      const { expectedPackage: table } = context.unscopedDb;
      const slug = textArgument(args, 'companySlug', 'Company', 'slug');
      const email = textArgument(args, 'email', 'ExpectedPackage', 'guestEmail', rules.email);
      const { filter, query, page } = readPage(guestPackages, args, context);
      const ofGuest = {
        company: { slug, ...isHost },
        guestEmail: { equals: literally(email), mode: 'insensitive' },
      } satisfies Prisma.ExpectedPackageWhereInput;
      const select = Object.fromEntries(guestPackages.columns.map((column) => [column, true]));
      const orderBy = [...query.orderBy];
      const rows = await table.findMany({ ...query, orderBy, select, where: { AND: [ofGuest, query.where] } });
      return page(rows, () => table.count({ where: { AND: [ofGuest, filter] } }));
    },
  });
}

/** Fields for columns of a package, in a type that is no row's. */
function columnFields<Row extends ExpectedPackage>(
  kit: SchemaKit,
  t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Row>,
  columns: readonly (keyof ExpectedPackage)[],
) {
  const field = (name: keyof ExpectedPackage) => {
    const { required, documentation } = columnFacts('ExpectedPackage', name);
    return t.field({
      type: kit.columnType('ExpectedPackage', name),
      nullable: !required,
      description: documentation ?? commonColumns[name],
      extensions: { column: ['ExpectedPackage', name] },
      // The column's type is the field's, which the compiler cannot see.
      resolve: (row) => row[name] as never,
    });
  };
  return Object.fromEntries(columns.map((name) => [name, field(name)]));
}

const commonColumns: Partial<Record<keyof ExpectedPackage, string>> = {
  id: 'The id, a uuid.',
  createdAt: 'When it was announced.',
  updatedAt: 'When it was last changed.',
};

/** Checks what a guest says, and finds the company. */
async function checkAnnouncement(body: Row, { unscopedDb }: Context) {
  const { data, errors } = checkBody(body, modelFacts('ExpectedPackage').columns, emailRule, required);
  const slug = checkValue(body['companySlug'] ?? null, columnFacts('Company', 'slug'));
  if ('error' in slug) errors['companySlug'] = body['companySlug'] === undefined ? 'is required' : slug.error;
  const where = 'value' in slug && { slug: String(slug.value), ...isHost };
  const host = where && (await unscopedDb.company.findFirst({ where, select: { id: true } }));
  if (!host) errors['companySlug'] ??= 'no such company';
  // What was checked column by column is what the table takes, unless it has errors.
  return { data: { ...data, companyId: host && host.id } as Prisma.ExpectedPackageUncheckedCreateInput, errors };
}

/** SHA-256 of a tracking token: whoever reads the table cannot follow a package, and no clock tells how near a guess was. */
const hashToken = (token: string) => new Uint8Array(createHash('sha256').update(token).digest());

/** A text that a column could hold, without the spaces around it. @throws ServiceError BAD_REQUEST */
function textArgument(
  args: Row,
  name: string,
  model: 'Company' | 'ExpectedPackage',
  column: string,
  rule?: Rule,
): string {
  const checked = checkValue(args[name], columnFacts(model, column), rule);
  if ('error' in checked) throw badRequest(checked.error, name);
  return String(checked.value);
}
