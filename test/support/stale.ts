import { dayIn } from '../../src/fields/index.ts';
import { refreshStale } from '../../src/resource/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Service, Tenant } from './service.ts';

/**
 * Updates a company's date-dependent statuses, as the first request of a day does: for tests that change rows in the
 * database.
 */
export const refresh = ({ database }: Service, { company }: Tenant): Promise<void> =>
  refreshStale(database, api.resources, company.id, dayIn(company.timeZone, new Date()));
