// Imports files without a job, page by page.
import { ownerContext } from '../../src/background/owner.ts';
import type { UserRole } from '../../src/database/generated/client/client.ts';
import {
  errorsHeader,
  errorsRows,
  type FileOptions,
  keyOf,
  type Mode,
  prepareImport,
  runImport,
} from '../../src/import/index.ts';
import { bufferSource } from '../../src/import/source.ts';
import { api } from '../../src/schema/index.ts';
import type { Service, Tenant } from './service.ts';

export interface ImportFileOptions extends FileOptions {
  readonly mode?: Mode;
  readonly key?: string;
  readonly dryRun?: boolean;
  readonly role?: UserRole;
  readonly from?: number;
}

/** Imports a file as the first user of a role. */
export async function importFile(
  { service, tenant }: { readonly service: Service; readonly tenant: Tenant },
  type: string,
  content: string | Buffer,
  options: ImportFileOptions = {},
) {
  const resource = api.resources.find((each) => each.type === type);
  if (!resource) throw new Error(`There is no ${type}.`);
  const { mode = 'insert', key, dryRun = false, role = 'ADMIN', from, ...file } = options;
  const { id: companyId, timeZone } = tenant.company;
  const user = tenant.users.find((each) => each.role === role);
  const owner = { companyId, timeZone, userId: user?.id ?? '', role };
  const context = async () => ownerContext(service.database, api, owner, 'import');
  const target = { resource, mode, key: key === undefined ? undefined : keyOf(resource, key) };
  const given = { api, timeZone };
  const prepared = await prepareImport(bufferSource(Buffer.from(content as string)), target, file, given);
  const total = { created: 0, updated: 0, unchanged: 0, errors: [] as string[] };
  let refused = errorsHeader(prepared.table);
  for await (const page of runImport(prepared, { dryRun, context, ...(from !== undefined && { from }) })) {
    total.created += page.created;
    total.updated += page.updated;
    total.unchanged += page.unchanged;
    total.errors.push(...page.refused.map(({ row, errors }) => `${row.line} ${errors.join('; ')}`));
    refused += errorsRows(prepared.table, page.refused);
  }
  return { ...total, refused, detected: prepared.detected, ignored: prepared.map.ignored };
}

/** What is wrong with a file, by field; or what came of it. */
export async function problem(...args: Parameters<typeof importFile>) {
  try {
    return await importFile(...args);
  } catch (error) {
    return (error as { fieldErrors?: unknown }).fieldErrors;
  }
}
