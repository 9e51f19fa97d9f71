import type { Context } from '../context.ts';

/**
 * Whether the company has turned on one of its rules. Settings are columns of the company, which is no row of a
 * company: the scoped client does not have it.
 */
export async function hasRule(
  name: 'separateApproval' | 'separateTimes' | 'singleDesk',
  { unscopedDb, caller: { companyId } }: Context,
): Promise<boolean> {
  const select = { separateApproval: true, separateTimes: true, singleDesk: true } as const;
  const company = await unscopedDb.company.findFirstOrThrow({ where: { id: companyId }, select });
  return company[name];
}
