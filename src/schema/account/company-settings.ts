import { parseName } from '../../auth/accounts.ts';
import { recordSecurityEvent } from '../../auth/security-log.ts';
import type { Context } from '../../context.ts';
import type { Company } from '../../database/generated/client/client.ts';
import { extendSchema } from '../../resource/index.ts';
import { actorOf, asValidationError, mainCompanyId } from './session-access.ts';

/** What the settings of a company change. */
type Settings = Pick<Company, 'id' | 'name' | 'slug' | 'separateApproval'>;

const select = { id: true, name: true, slug: true, separateApproval: true } as const;

/** Adds the settings of the active company. A sandbox has settings of its own. */
export const companySettings = extendSchema((kit) => {
  const { builder } = kit;
  const CompanySettings = builder.objectRef<Settings>('CompanySettings').implement({
    description: 'Settings of the active company. A sandbox has settings of its own.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the company.' }),
      name: t.exposeString('name', { description: 'Name of the company.' }),
      slug: t.exposeString('slug', { description: 'Slug of the company, which cannot be changed.' }),
      separateApproval: t.exposeBoolean('separateApproval', {
        description: 'Whether nobody may approve a requisition, an order or an invoice that they requested themselves.',
      }),
    }),
  });

  const Input = builder.inputType('UpdateCompanySettingsInput', {
    description: 'The settings to change.',
    fields: (t) => ({
      name: t.string({ description: 'Name of the company.' }),
      separateApproval: t.boolean({
        description: 'Whether nobody may approve a requisition, an order or an invoice that they requested themselves.',
      }),
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
    async resolve({ input }, context) {
      const { name, separateApproval } = input as { name?: string | null; separateApproval?: boolean | null };
      const data: Partial<Settings> = {};
      try {
        if (name != null) data.name = parseName('name', name);
      } catch (error) {
        asValidationError({ name: 'name' })(error);
      }
      if (separateApproval != null) data.separateApproval = separateApproval;
      return updateSettings(data, context);
    },
  });
});

const ofCompany = { type: 'CompanySettings', path: '/company-settings', rest: false, access: 'admin' } as const;

const findSettings = ({ unscopedDb, caller }: Context): Promise<Settings> =>
  unscopedDb.company.findUniqueOrThrow({ where: { id: caller.companyId }, select });

/** Changes the settings that differ, and records them. */
async function updateSettings(data: Partial<Settings>, context: Context): Promise<Settings> {
  const { unscopedDb, caller } = context;
  const previous = await findSettings(context);
  const changes = Object.fromEntries(
    Object.entries(data).filter(([name, value]) => value !== previous[name as keyof Settings]),
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
