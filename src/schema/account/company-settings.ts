import { validateName } from '../../auth/accounts.ts';
import { timeZoneError, validateTimeZone } from '../../auth/preferences.ts';
import { recordSecurityEvent } from '../../auth/security-log.ts';
import { type Context, inTransaction } from '../../context.ts';
import type { Company as CompanyRow } from '../../database/generated/client/client.ts';
import { validationError } from '../../errors.ts';
import { oneOf } from '../../input/index.ts';
import { addJob } from '../../jobs/index.ts';
import { checkBody, defineOperation, defineType, lockCompany, type Row, rules } from '../../resource/index.ts';
import { indexTexts } from '../files/text-job.ts';
import { Company } from '../people/company.ts';
import { actorOf, mainCompanyId } from './session-access.ts';

/** The languages that all versions of PostgreSQL know the words of; `simple` is none. */
const languages = [
  ...['simple', 'arabic', 'armenian', 'basque', 'catalan', 'danish', 'dutch', 'english', 'finnish', 'french'],
  ...['german', 'greek', 'hindi', 'hungarian', 'indonesian', 'irish', 'italian', 'lithuanian', 'nepali', 'norwegian'],
  ...['portuguese', 'romanian', 'russian', 'serbian', 'spanish', 'swedish', 'tamil', 'turkish', 'yiddish'],
];

/** The settings that can be changed, and the rules of their values. */
const ruleOf = {
  name: validateName,
  currency: (code: string) =>
    Intl.supportedValuesOf('currency').includes(code) ? undefined : 'must be an ISO 4217 code, such as EUR',
  timeZone: validateTimeZone,
  separateApproval: undefined,
  separateTimes: undefined,
  singleDesk: undefined,
  searchLanguage: (name: string) => (languages.includes(name) ? undefined : `must be ${oneOf(languages)}`),
  fiscalYearStartMonth: (month: number) => (month >= 1 && month <= 12 ? undefined : 'must be 1 to 12'),
  emailSenderName: validateName,
  emailReplyTo: rules.email,
};

type Changes = Partial<Pick<CompanyRow, keyof typeof ruleOf>>;

const names = Object.keys(ruleOf);

const CompanySettings = defineType((kit) =>
  kit.builder.objectRef<CompanyRow>('CompanySettings').implement({
    description:
      'Settings of the active company. A sandbox has settings of its own. The time zone decides when a lease expires, and what `today` is in a filter.',
    fields: (t) => kit.columnFields(t, Company, ['id', 'slug', ...names]),
  }),
);

const UpdateCompanySettingsInput = defineType((kit) =>
  kit.builder.inputType('UpdateCompanySettingsInput', {
    description: 'The settings to change.',
    fields: (t) => kit.inputFields(t, Company, names, []),
  }),
);

const ofCompany = { type: 'CompanySettings', path: '/company-settings', rest: false, access: 'admin' } as const;

/** The settings of the active company. */
export const companySettings = defineOperation({
  ...ofCompany,
  action: 'read',
  field: 'companySettings',
  description: 'Get the settings of the active company. Admins only.',
  returns: CompanySettings,
  run: async (_args, context) => findSettings(context),
});

/** Changes settings of the active company. */
export const updateCompanySettings = defineOperation({
  ...ofCompany,
  action: 'update',
  field: 'updateCompanySettings',
  label: 'Save company settings',
  description: 'Change settings of the active company. Fields that are left out stay as they are. Admins only.',
  returns: CompanySettings,
  args: (arg, kit) => ({
    input: arg({ type: UpdateCompanySettingsInput(kit), required: true, description: 'The settings to change.' }),
  }),
  run: async ({ input }, context) => updateSettings(await readChanges(input, context), context),
});

/** The operations on the settings of the active company. A sandbox has settings of its own. */
export const companySettingsOperations = [companySettings, updateCompanySettings];

/** Settings are columns of the company, which is no row of a company: the scoped client does not have it. */
const findSettings = ({ unscopedDb, caller }: Context): Promise<CompanyRow> =>
  unscopedDb.company.findUniqueOrThrow({ where: { id: caller.companyId } });

/** Checks the changes. @throws ServiceError VALIDATION_ERROR naming every wrong one */
async function readChanges(input: Readonly<Row>, context: Context): Promise<Changes> {
  const isGiven = ([name, value]: [string, unknown]) => value !== null || !Company.stored[name]?.required;
  // A setting that must have a value stays as it is where that is null.
  const given = Object.fromEntries(Object.entries(input).filter(isGiven));
  const { data, errors } = checkBody(given, Company, ruleOf, undefined);
  const { timeZone, emailReplyTo }: Changes = data;
  if (timeZone !== undefined && !(await isKnownZone(timeZone, context))) errors['timeZone'] = timeZoneError;
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return { ...data, emailReplyTo: emailReplyTo?.toLowerCase() ?? emailReplyTo };
}

/** Whether the database knows a time zone by this name too: like Node, it computes days. */
async function isKnownZone(name: string, { unscopedDb }: Context): Promise<boolean> {
  const rows = await unscopedDb.$queryRaw<unknown[]>`SELECT 1 FROM pg_timezone_names WHERE name = ${name}`;
  return rows.length > 0;
}

/** Changes the settings that differ, and records them. */
async function updateSettings(data: Changes, context: Context): Promise<CompanyRow> {
  const companyId = await mainCompanyId(context);
  const { unscopedDb, caller } = context;
  return inTransaction(context, async () => {
    // Changes at the same time take turns, so that each is compared with what the others have stored.
    await lockCompany(context);
    const previous: CompanyRow & Row = await findSettings(context);
    const changes = Object.fromEntries(
      Object.entries(data).filter(([name, value]) => value !== undefined && value !== previous[name]),
    );
    if (Object.keys(changes).length === 0) return previous;
    const changed = await unscopedDb.company.update({ where: { id: caller.companyId }, data: changes });
    if (changes['searchLanguage'] !== undefined)
      await addJob(unscopedDb, indexTexts, { companyId: changed.id, payload: {} });
    const details = { company: changed.slug, ...changes };
    const event = { action: 'settings_changed', companyId, details } as const;
    await recordSecurityEvent(unscopedDb, { ...event, actor: actorOf(context) });
    return changed;
  });
}
