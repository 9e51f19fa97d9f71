// Calls of the kit itself, for what no route does.
import { randomUUID } from 'node:crypto';
import { ownerContext } from '../../src/background/owner.ts';
import type { Context } from '../../src/context.ts';
import type { Resource } from '../../src/resource/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Service, Tenant } from './service.ts';

/** The definition of a type's rows. */
export function resourceOf(type: string): Resource {
  const resource = api.resources.find((each) => each.type === type);
  if (!resource) throw new Error(`There is no ${type}.`);
  return resource;
}

/** The context of a person of a company with this role. */
export function contextOf(
  { database }: Service,
  { company, users }: Tenant,
  role: 'ADMIN' | 'MEMBER' = 'ADMIN',
): Context {
  const userId = users.find((user) => user.role === role)?.id ?? '';
  const caller = { companyId: company.id, timeZone: 'UTC', userId, role };
  return ownerContext(database, api, caller, randomUUID());
}
