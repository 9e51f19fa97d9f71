import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { createUser } from '../../src/auth/accounts.ts';
import { createLimiter } from '../../src/auth/limits.ts';
import { readConfig } from '../../src/config.ts';
import type { User } from '../../src/database/generated/client/client.ts';
import { api } from '../../src/schema/index.ts';
import { Browser, givePassword, password } from '../support/browser.ts';
import type { Row } from '../support/client.ts';
import { startService, type Tenant } from '../support/service.ts';

/** Starts a service with two companies; Ada can sign in to the first. Returns it with helpers. */
export async function startSignInService() {
  const service = await startService({ TRUST_PROXY: 'true' });
  const { database } = service;
  const acme = await service.tenant('acme');
  const other = await service.tenant('other');
  const [ada, ben, cleo] = acme.users as [User, User, User];
  await givePassword(service, ada.id);
  const closers: (() => unknown)[] = [];

  /** Starts another instance of the service on the same database. */
  async function startInstance(env: Record<string, string> = {}, logger = pino({ level: 'silent' })): Promise<string> {
    const config = readConfig(env);
    const limiter = createLimiter(database);
    const app = await createApp({ api, config, database, limiter, logger });
    await app.listen({ host: '127.0.0.1', port: 0 });
    closers.push(
      () => app.close(),
      () => limiter.close(),
    );
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  }

  let addresses = 0;
  /** Headers with a new IP address, so that tests do not share rate limits. */
  const newAddress = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` });

  const signIn = (browser: Browser, email: string, secret: string, headers: Record<string, string> = newAddress()) =>
    browser.post('/auth/sign-in', { email, password: secret }, headers);

  /** A signed-in browser. */
  async function signedIn(email = ada.email, secret = password, headers = newAddress()): Promise<Browser> {
    const browser = new Browser(service.origin);
    const { status, text } = await signIn(browser, email, secret, headers);
    if (status !== 200) throw new Error(`${email} could not sign in: ${text}`);
    return browser;
  }

  /** Adds a user with a password and a proved address to a company. */
  async function addMember({ company }: Tenant, email: string, role: 'ADMIN' | 'MEMBER' = 'MEMBER'): Promise<User> {
    const user = await createUser(database.prisma, { companyId: company.id, email, fullName: 'Somebody', role });
    await givePassword(service, user.id);
    // A proved address can join further companies.
    await database.prisma.person.update({ where: { id: user.id }, data: { emailVerifiedAt: new Date() } });
    return user;
  }

  return {
    service,
    acme,
    other,
    ada,
    ben,
    cleo,
    startInstance,
    newAddress,
    signIn,
    signedIn,
    addMember,
    async close() {
      for (const close of closers.splice(0).reverse()) await close();
      await service.close();
    },
  };
}

/** The session as the service returns it. */
export const readSession = async (browser: Browser) => (await browser.get('/auth/session')).json['data'] as Row | null;

/** The short name of a browser's active company. */
export const readCompany = async (browser: Browser) =>
  (await browser.graphql<{ me: { company: { slug: string } } | null }>('{ me { company { slug } } }')).data?.me?.company
    .slug;
