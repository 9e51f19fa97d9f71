import { refreshStale, today } from '../../src/resource/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Service, Tenant } from './service.ts';

/** Does to a company's rows what its first request of a day does, as a clock would: tests change rows behind the service's back. */
export const refresh = ({ database }: Service, { company }: Tenant): Promise<void> =>
  refreshStale(database.prisma, api.resources, company.id, today());
