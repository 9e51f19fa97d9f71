import { createToken } from '../../src/auth/tokens.ts';
import { Client } from '../support/client.ts';
import type { Service, Tenant } from '../support/service.ts';

/** A caller with a token of the nth member of a company: 0 is Ada, the user of `tenant.client()`, 1 Ben, 2 Cleo. */
export async function memberClient(
  { origin, database }: Service,
  { company, users }: Tenant,
  n: number,
  scopes: readonly string[] = ['*'],
): Promise<Client> {
  const { token } = await createToken(database.prisma, {
    companyId: company.id,
    userId: users[n]?.id ?? '',
    name: 'test',
    scopes,
    live: true,
    expiresAt: null,
  });
  return new Client(origin, token);
}
