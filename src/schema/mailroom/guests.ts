import { randomBytes } from 'node:crypto';
import { storedHash } from '../../auth/tokens.ts';
import { asGuestOf, type Context } from '../../context.ts';
import type { Company, ExpectedPackage as PackageRow, Prisma } from '../../database/generated/client/client.ts';
import { currentTraceparent } from '../../database/index.ts';
import { badRequest, type FieldErrors, notFound } from '../../errors.ts';
import { type Rule } from '../../fields/index.ts';
import { normalizeSlug } from '../../formats.ts';
import { messages } from '../../input/index.ts';
import {
  checkValue,
  column,
  createRow,
  type Definition,
  defineNewRows,
  defineOperation,
  defineType,
  escapeLike,
  etagOf,
  etagParts,
  inspectInput,
  type Listing,
  noPolicies,
  type ObjectFields,
  planPage,
  type Row,
  requiredColumns,
  rules,
  rulesOf,
  type StoredField,
  wordsOf,
} from '../../resource/index.ts';
import { ExpectedPackage } from './expected-package.ts';

export const path = '/public/expected-packages';
export const tag = {
  name: 'Expected packages',
  description: 'Guests register packages they expect and track them, without authentication.',
};
const exampleToken = 'q3Zk8Yw1T0u5VbN2xRc7Lg';

/** The columns that a guest fills in, besides the company: those that the company cannot write. */
const inputColumns = Object.entries(ExpectedPackage.fields).flatMap(([column, { readOnly }]) =>
  readOnly && column !== 'receivedAt' ? [column] : [],
);
const ruleOf: Readonly<Record<string, Rule>> = { guestEmail: rules.email, quantity: rules.atLeast(1) };
const inputFields = Object.fromEntries(inputColumns.map((column) => [column, { rule: ruleOf[column] }]));
const required = requiredColumns(ExpectedPackage, inputColumns);
const companySlug = column('Company', 'slug');
const guestEmail = column('ExpectedPackage', 'guestEmail');

/** The company that a guest's input names; null if there is none. */
type Host = Pick<Company, 'id' | 'name' | 'slug'> | null;

/** The package of an announcement. @param token what the guest tracks it with */
const announcement = (host: Host, token: string) =>
  defineNewRows('ExpectedPackage', {
    fields: inputFields,
    convertInput({ input, data }) {
      data.tokenHash = storedHash(token);
      return companyErrors(input, host);
    },
    hooks: {
      resolveInput: {
        // The limits are counted when it is sent, so that neither the response nor its time tells whether it is.
        create: ({ context, data }) =>
          context.mailer.isEnabled
            ? { ...data, also: { mails: [{ traceparent: currentTraceparent() ?? null }] } }
            : data,
      },
    },
  });

/** The company's fields that guests see. */
const company = { select: { name: true, slug: true } } as const;

/** A package with its company. */
export type AnnouncedRow = PackageRow & { readonly company: { readonly name: string; readonly slug: string } };

/** The fields of a package that are visible to anyone who knows the guest's email address. */
const guestPackages = {
  type: 'GuestPackage',
  words: wordsOf('GuestPackage'),
  model: 'ExpectedPackage',
  stored: ExpectedPackage.stored,
  roles: ExpectedPackage.roles,
  columns: ['id', 'description', 'vendorName', 'status', 'expectedDate', 'receivedAt', 'createdAt', 'updatedAt'],
  search: ['description', 'vendorName'],
  filters: {},
  normalized: {},
  policies: noPolicies,
} as const satisfies Listing;

const types = defineType((kit) => {
  const { builder } = kit;
  const fieldsOf = (t: ObjectFields<AnnouncedRow>) => ({
    id: t.exposeID('id', { description: 'ID, a UUID.' }),
    companySlug: t.string({
      description: 'Slug of the company that receives the package.',
      extensions: { stored: companySlug },
      resolve: ({ company }) => company.slug,
    }),
    companyName: t.string({
      description: 'Name of the company that receives the package.',
      extensions: { stored: column('Company', 'name') },
      resolve: ({ company }) => company.name,
    }),
    ...kit.columnFields(t, ExpectedPackage, [...inputColumns, 'status', 'receivedAt', 'createdAt', 'updatedAt']),
    photoCount: t.exposeInt('photoCount', { description: 'Number of photos that the guest has added.' }),
  });
  const AnnouncedPackage = builder.objectRef<AnnouncedRow>('AnnouncedPackage').implement({
    description: 'An expected package, as shown to the guest who registered it.',
    fields: fieldsOf,
  });
  const NewAnnouncedPackage = builder
    .objectRef<AnnouncedRow & { readonly token: string }>('NewAnnouncedPackage')
    .implement({
      description: 'A newly registered package with its tracking token.',
      fields: (t) => ({
        trackingToken: t.exposeString('token', {
          description: 'Token to track the package with. It is shown only once; an emailed link has another one.',
          extensions: { example: exampleToken },
        }),
        // A NewAnnouncedPackage is also an AnnouncedPackage; a builder of fields is bound to one type.
        ...fieldsOf(t as never),
      }),
    });
  const Input = builder.inputType('AnnouncePackageInput', {
    description: 'A package that a guest expects to be delivered.',
    fields: (t) => ({
      companySlug: t.string({
        required: true,
        description: 'Slug of the company that receives the package, in any letter case.',
        extensions: { stored: companySlug },
      }),
      ...kit.inputFields(t, ExpectedPackage, inputColumns, required, rulesOf(inputFields)),
    }),
  });
  return { AnnouncedPackage, NewAnnouncedPackage, Input };
});

const guestList = defineType((kit) => {
  const parts = etagParts(guestPackages.columns);
  const GuestPackage = kit.builder.objectRef<PackageRow>('GuestPackage').implement({
    description: "An expected package, as shown to anyone who knows the company and the guest's email address.",
    fields: (t) => ({
      ...kit.columnFields(t, ExpectedPackage, guestPackages.columns),
      etag: t.string({
        description: 'ETag of the package.',
        extensions: { rest: false },
        resolve: (row) => etagOf(parts, row),
      }),
    }),
  });
  return kit.addListTypes(guestPackages, GuestPackage);
});

/** Registers an expected package. */
const announcePackage = defineOperation({
  action: 'create',
  rest: true,
  field: 'announcePackage',
  label: 'Register a package',
  path,
  access: 'public',
  tag,
  type: 'NewAnnouncedPackage',
  description:
    'Register an expected package as a guest of a company. Where the service sends email, the guest is also sent a tracking link.',
  returns: (kit) => types(kit).NewAnnouncedPackage,
  async inspect(input, context) {
    const host = await findHost(input, context);
    return inspectInput(announcement(host, ''), {}, { input, required, context: inHost(host, context) });
  },
  args: (arg, kit) => ({ input: arg({ type: types(kit).Input, required: true, description: 'The package.' }) }),
  async run(args, context) {
    const host = await findHost(args.input, context);
    const token = randomBytes(16).toString('base64url');
    const options = { required, context: inHost(host, context) };
    return { ...(await createRow(announcement(host, token), args.input, options)), company: host, token };
  },
});

/** An expected package, by its tracking token. */
const announcedPackage = defineOperation({
  action: 'read',
  rest: true,
  field: 'announcedPackage',
  path: `${path}/:token`,
  access: 'public',
  tag,
  type: 'AnnouncedPackage',
  words: { one: 'an announced package' },
  description: 'Get an expected package by its tracking token.',
  returns: (kit) => types(kit).AnnouncedPackage,
  args: (arg) => ({
    token: arg.string({ required: true, description: 'The tracking token.', extensions: { example: exampleToken } }),
  }),
  run: (args, context) => findAnnounced(String(args['token']), context),
});

/** Finds a package by a tracking token, in any company. @throws ServiceError NOT_FOUND */
export async function findAnnounced(token: string, { unscopedDb }: Context): Promise<AnnouncedRow> {
  // The table reveals no tokens, and a lookup by hash leaks nothing through its timing.
  const where = { tokenHash: storedHash(token) };
  const found = await unscopedDb.expectedPackage.findFirst({ where, include: { company } });
  if (found) return found;
  const mail = await unscopedDb.guestMail.findFirst({ where, select: { package: { include: { company } } } });
  if (!mail) throw notFound('expected package');
  return mail.package;
}

/** The packages that a guest registered. */
const listGuestPackages = defineOperation({
  action: 'list',
  rest: true,
  field: 'guestPackages',
  path: `${path}/status`,
  access: 'public',
  tag,
  type: 'GuestPackage',
  description:
    'List the packages that a guest has registered at a company. The list is empty if the company or the guest does not exist.',
  returns: (kit) => guestList(kit).connection,
  args: (arg, kit) => ({
    companySlug: arg.string({
      required: true,
      description: 'Slug of the company, in any letter case.',
      extensions: { stored: companySlug },
    }),
    email: arg.string({
      required: true,
      description: 'Email address of the guest, ignoring case.',
      extensions: { stored: guestEmail, rule: rules.email },
    }),
    ...guestList(kit).listArguments(arg, 25),
  }),
  async run(args, context, _info, registry) {
    const slug = normalizeSlug(textArgument(args, 'companySlug', companySlug));
    const email = textArgument(args, 'email', guestEmail, rules.email);
    const { filter, query, toPage } = planPage(registry, guestPackages, args, context);
    const host = await context.unscopedDb.company.findFirst({ where: { slug }, select: { id: true } });
    if (!host) return toPage([], async () => 0);
    const { reader } = asGuestOf(host.id, context);
    const ofGuest = {
      guestEmail: { equals: escapeLike(email), mode: 'insensitive' },
    } satisfies Prisma.ExpectedPackageWhereInput;
    const where = { AND: [ofGuest, query.where] };
    const select = Object.fromEntries(guestPackages.columns.map((column) => [column, true]));
    const rows = await reader.findMany('ExpectedPackage', { ...query, select, where });
    return toPage(rows, () => reader.count('ExpectedPackage', { AND: [ofGuest, filter] }));
  },
});

/**
 * The operations for guests: register an expected package, track it by its token, and list one's own. Guests belong to
 * no company, so these operations read across companies and find the company, or the sandbox, by its slug.
 */
export const guestOperations: readonly Definition[] = [announcePackage, announcedPackage, listGuestPackages];

const checkSlug = ({ companySlug: slug = null }: Row) => checkValue(slug, companySlug);

/** Finds the company that a guest names; null if there is none. */
async function findHost(input: Row, { unscopedDb }: Context): Promise<Host> {
  const slug = checkSlug(input);
  if ('error' in slug) return null;
  const where = { slug: normalizeSlug(String(slug.value)) };
  return unscopedDb.company.findFirst({ where, select: { id: true, ...company.select } });
}

/** A guest's request in the company that it names, where there is one. */
const inHost = (host: Host, context: Context): Context => (host ? asGuestOf(host.id, context) : context);

/** The errors of the field that names the company. */
function companyErrors(input: Row, host: Host): FieldErrors {
  const slug = checkSlug(input);
  if ('error' in slug) return { companySlug: input['companySlug'] === undefined ? messages.required : slug.error };
  return host ? {} : { companySlug: 'no such company' };
}

/** Reads a text argument, trimmed and checked against a column. @throws ServiceError BAD_REQUEST */
function textArgument(args: Row, name: string, field: StoredField, rule?: Rule): string {
  const checked = checkValue(args[name], field, rule);
  if ('error' in checked) throw badRequest(checked.error, name);
  return String(checked.value);
}
