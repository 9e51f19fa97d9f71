import { hashPassword } from 'better-auth/crypto';
import { Client, type Reply, type Sent } from './client.ts';
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

let passwordHash: Promise<string> | undefined;

/** Sets the password `password`, hashed once per file, as hashing is slow. */
export async function givePassword({ database }: Service, ...personIds: string[]): Promise<void> {
  const hash = await (passwordHash ??= hashPassword(password));
  const accounts = personIds.map((id) => ({ personId: id, accountId: id, providerId: 'credential', password: hash }));
  await database.prisma.account.createMany({ data: accounts, skipDuplicates: true });
}

/** Sets the members' passwords to `password`. @returns their email addresses by role */
export async function givePasswords(service: Service, { users }: Tenant): Promise<Members<string>> {
  await givePassword(service, ...users.map(({ id }) => id));
  const [admin = '', executive = '', member = ''] = users.map(({ email }) => email);
  return { admin, executive, member };
}

/** Sets the members' passwords and signs them in. Their paths are below /api/v1. */
export async function signInAll(service: Service, tenant: Tenant): Promise<Members<Browser>> {
  const { admin, executive, member } = await givePasswords(service, tenant);
  const signIn = async (email: string) => {
    const browser = new Browser(service.origin);
    const reply = await browser.signIn(email, password);
    if (reply.status !== 200) throw new Error(`${email} could not sign in: ${reply.text}`);
    return browser.at('/api/v1');
  };
  return { admin: await signIn(admin), executive: await signIn(executive), member: await signIn(member) };
}
