import type { Context } from '../context.ts';
import { loadTogether } from '../resource/index.ts';

/** The rules that a company can turn on. */
const rules = { separateApproval: true, separateTimes: true, singleDesk: true } as const;

/**
 * Whether the company has turned on one of its rules. Settings are columns of the company, which is no row of a
 * company: the scoped client does not have it. The rows of a list ask together.
 */
export async function hasRule(name: keyof typeof rules, context: Context): Promise<boolean> {
  const { unscopedDb, caller } = context;
  const { companyId } = caller;
  const company = await loadTogether(context, 'rules of a company', companyId, async () => {
    const found = await unscopedDb.company.findFirstOrThrow({ where: { id: companyId }, select: rules });
    return new Map([[companyId, found]]);
  });
  return company?.[name] === true;
}
