import { randomUUID } from 'node:crypto';
import { sessionSeconds } from '../../src/auth/sessions/auth.ts';
import { signCookie } from '../../src/auth/sessions/cookie.ts';
import { tokenHash } from '../../src/auth/sessions/hash-tokens.ts';
import { findStartingCompanyId } from '../../src/auth/sessions/people.ts';
import { Client, type Reply, type Sent } from './client.ts';
import { hashOf } from './hash-of.ts';
import type { Service, Tenant } from './service.ts';

/** The public address of services in tests, as if behind a proxy. */
export const publicOrigin = 'http://localhost:4000';

export const password = 'correct horse battery';

/** A browser on a page of the service: it keeps cookies, and sends the headers of its origin. */
export class Browser extends Client {
  constructor(
    origin: string,
    /** Its cookies, by name. */
    readonly cookies = new Map<string, string>(),
    base = '',
  ) {
    super(origin, undefined, base);
  }

  override at(base: string): Browser {
    return new Browser(this.origin, this.cookies, base);
  }

  override async request(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await super.request(method, path, {
      ...sent,
      headers: {
        'sec-fetch-site': 'same-origin',
        'sec-fetch-mode': 'cors',
        origin: publicOrigin,
        ...(cookie && { cookie }),
        ...sent.headers,
      },
    });
    this.keep(reply.headers);
    return reply;
  }

  /** Follows a link with the headers of a navigation, and without following redirects. */
  async open(address: string, headers: Record<string, string> = {}): Promise<Response> {
    const url = new URL(address, publicOrigin);
    const target = url.origin === publicOrigin ? new URL(url.pathname + url.search, this.origin) : url;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(target, {
      redirect: 'manual',
      headers: {
        'sec-fetch-site': 'none',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        ...(cookie && { cookie }),
        ...headers,
      },
    });
    if (url.origin === publicOrigin) this.keep(response.headers);
    return response;
  }

  signIn(email: string, password: string): Promise<Reply> {
    return this.at('').post('/auth/sign-in', { email, password });
  }

  private keep(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '' || /; *max-age=0/i.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** The roles of a company's three members. */
type Members<T> = Readonly<Record<'admin' | 'executive' | 'member', T>>;

/** Sets the password `password`. */
export async function givePassword({ database }: Pick<Service, 'database'>, ...personIds: string[]): Promise<void> {
  const hash = await hashOf(password);
  const accounts = personIds.map((id) => ({ personId: id, accountId: id, providerId: 'credential', password: hash }));
  await database.prisma.account.createMany({ data: accounts, skipDuplicates: true });
}

/** Records that somebody proved their email address. */
export async function proveEmail({ database }: Service, ...personIds: string[]): Promise<void> {
  await database.prisma.person.updateMany({ where: { id: { in: personIds } }, data: { emailVerifiedAt: new Date() } });
}

/** Sets the members' passwords to `password`. @returns their email addresses by role */
export async function givePasswords(service: Pick<Service, 'database'>, { users }: Tenant): Promise<Members<string>> {
  await givePassword(service, ...users.map(({ id }) => id));
  const [admin = '', executive = '', member = ''] = users.map(({ email }) => email);
  return { admin, executive, member };
}

/** A browser with a new session of a person, without the check of a password, which takes 80 ms. */
export async function openSession(
  { origin, database: { prisma } }: Pick<Service, 'origin' | 'database'>,
  personId: string,
): Promise<Browser> {
  const token = randomUUID();
  const companyId = await findStartingCompanyId(prisma, personId);
  const expiresAt = new Date(Date.now() + sessionSeconds * 1000);
  await prisma.session.create({ data: { token: tokenHash(token), personId, companyId, expiresAt } });
  const { value: secret } = await prisma.secret.findUniqueOrThrow({ where: { name: 'cookies' } });
  return new Browser(origin, new Map([['premises.session_token', signCookie(token, [secret])]]));
}

/** Signs the members in, and sets their passwords. Their paths are below /api/v1. */
export async function signInAll(
  service: Pick<Service, 'origin' | 'database'>,
  tenant: Tenant,
): Promise<Members<Browser>> {
  await givePasswords(service, tenant);
  const signIn = async (index: number) => (await openSession(service, tenant.users[index]?.id ?? '')).at('/api/v1');
  return { admin: await signIn(0), executive: await signIn(1), member: await signIn(2) };
}
