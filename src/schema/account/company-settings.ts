import { IANAZone } from 'luxon';
import { parseEmail, parseName } from '../../auth/accounts.ts';
import { recordSecurityEvent } from '../../auth/security-log.ts';
import type { Context } from '../../context.ts';
import type { Company } from '../../database/generated/client/client.ts';
import { type FieldErrors, ServiceError, validationError } from '../../errors.ts';
import { extendSchema } from '../../resource/index.ts';
import { actorOf, mainCompanyId } from './session-access.ts';

const select = {
  id: true,
  name: true,
  slug: true,
  currency: true,
  timeZone: true,
  separateApproval: true,
  emailSenderName: true,
  emailReplyTo: true,
} as const;

type Settings = Pick<Company, keyof typeof select>;

/** The settings that can be changed. Null stands for the default. */
type Changes = { readonly [Name in Exclude<keyof Settings, 'id' | 'slug'>]?: Settings[Name] | null };

const descriptions = {
  name: 'Name of the company.',
  currency: "Currency of the company's amounts, as an ISO 4217 code such as `EUR`.",
  timeZone:
    "Time zone of the company's days, as an IANA name such as `Europe/Berlin`: it decides when a lease expires, and what `today` is in a filter.",
  separateApproval: 'Whether nobody may approve a requisition, an order or an invoice that they requested themselves.',
  emailSenderName: "Sender name of the company's email. Null, the default, stands for the company's name.",
  emailReplyTo: "Reply-to address of the company's email. Null, the default, means none.",
} as const;

/** Adds the settings of the active company. A sandbox has settings of its own. */
export const companySettings = extendSchema((kit) => {
  const { builder } = kit;
  const CompanySettings = builder.objectRef<Settings>('CompanySettings').implement({
    description: 'Settings of the active company. A sandbox has settings of its own.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the company.' }),
      name: t.exposeString('name', { description: descriptions.name }),
      slug: t.exposeString('slug', { description: 'Slug of the company, which cannot be changed.' }),
      currency: t.exposeString('currency', { description: descriptions.currency }),
      timeZone: t.exposeString('timeZone', { description: descriptions.timeZone }),
      separateApproval: t.exposeBoolean('separateApproval', { description: descriptions.separateApproval }),
      emailSenderName: t.exposeString('emailSenderName', { nullable: true, description: descriptions.emailSenderName }),
      emailReplyTo: t.exposeString('emailReplyTo', { nullable: true, description: descriptions.emailReplyTo }),
    }),
  });

  const Input = builder.inputType('UpdateCompanySettingsInput', {
    description: 'The settings to change.',
    fields: (t) => ({
      name: t.string({ description: descriptions.name }),
      currency: t.string({ description: descriptions.currency }),
      timeZone: t.string({ description: descriptions.timeZone }),
      separateApproval: t.boolean({ description: descriptions.separateApproval }),
      emailSenderName: t.string({ description: descriptions.emailSenderName }),
      emailReplyTo: t.string({ description: descriptions.emailReplyTo }),
    }),
  });

  kit.addOperation({
    ...ofCompany,
    action: 'read',
    field: 'companySettings',
    description: 'Get the settings of the active company. Admins only.',
    returns: CompanySettings,
    args: () => ({}),
    resolve: async (_args, context) => findSettings(context),
  });

  kit.addOperation({
    ...ofCompany,
    action: 'update',
    field: 'updateCompanySettings',
    description: 'Change settings of the active company. Fields that are left out stay as they are. Admins only.',
    returns: CompanySettings,
    args: (arg) => ({ input: arg({ type: Input, required: true, description: 'The settings to change.' }) }),
    resolve: async ({ input }, context) => updateSettings(await readChanges(input, context), context),
  });
});

const ofCompany = { type: 'CompanySettings', path: '/company-settings', rest: false, access: 'admin' } as const;

const findSettings = ({ unscopedDb, caller }: Context): Promise<Settings> =>
  unscopedDb.company.findUniqueOrThrow({ where: { id: caller.companyId }, select });

/** Checks the changes. @throws ServiceError VALIDATION_ERROR naming every wrong one */
async function readChanges(input: Changes, context: Context): Promise<Partial<Settings>> {
  const errors: FieldErrors = {};
  const read = <T>(parse: () => T): T | undefined => {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      Object.assign(errors, error.fieldErrors);
      return undefined;
    }
  };
  const { name, currency, timeZone, separateApproval, emailSenderName, emailReplyTo } = input;
  const changes = {
    name: name == null ? undefined : read(() => parseName('name', name)),
    currency: currency ?? undefined,
    timeZone: timeZone ?? undefined,
    separateApproval: separateApproval ?? undefined,
    emailSenderName: emailSenderName
      ? read(() => parseName('emailSenderName', emailSenderName))
      : orNull(emailSenderName),
    emailReplyTo: emailReplyTo ? read(() => parseEmail('emailReplyTo', emailReplyTo)) : orNull(emailReplyTo),
  };
  if (currency != null && !Intl.supportedValuesOf('currency').includes(currency))
    errors['currency'] = 'must be an ISO 4217 code, such as EUR';
  if (timeZone != null && !(await isTimeZone(timeZone, context)))
    errors['timeZone'] = 'must be the IANA name of a time zone, such as Europe/Berlin';
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return changes;
}

/** Forms send an empty text for a missing value. */
const orNull = (value: string | null | undefined): null | undefined => (value === undefined ? undefined : null);

/** Whether both Node and the database know a time zone by this name: either computes days. */
async function isTimeZone(name: string, { unscopedDb }: Context): Promise<boolean> {
  if (!IANAZone.isValidZone(name)) return false;
  const rows = await unscopedDb.$queryRaw<unknown[]>`SELECT 1 FROM pg_timezone_names WHERE name = ${name}`;
  return rows.length > 0;
}

/** Changes the settings that differ, and records them. */
async function updateSettings(data: Partial<Settings>, context: Context): Promise<Settings> {
  const { unscopedDb, caller } = context;
  const previous = await findSettings(context);
  const changes = Object.fromEntries(
    // Names of `data` are those of settings.
    Object.entries(data).filter(([name, value]) => value !== undefined && value !== previous[name as keyof Settings]),
  );
  if (Object.keys(changes).length === 0) return previous;
  const companyId = await mainCompanyId(context);
  return unscopedDb.$transaction(async (transaction) => {
    const changed = await transaction.company.update({ where: { id: caller.companyId }, data: changes, select });
    const details = { company: changed.slug, ...changes };
    const event = { action: 'settings_changed', companyId, details } as const;
    await recordSecurityEvent(transaction, { ...event, actor: actorOf(context) });
    return changed;
  });
}
