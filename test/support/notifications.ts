import { expect } from '@jest/globals';
import pino from 'pino';
import { createToken } from '../../src/auth/tokens.ts';
import { readConfig } from '../../src/config.ts';
import { createMailer, type Mailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import { type Browser, signInAll } from './browser.ts';
import { Client, type Row } from './client.ts';
import { type NotificationWorker, notificationWorker } from './log-worker.ts';
import { waitForOlderTransactions } from './older-transactions.ts';
import { type Service, startService, type Tenant } from './service.ts';
import { type MailServer, startMailServer } from './smtp.ts';

export const publicUrl = 'http://localhost:4000';

/** The path of a link that is on the service. */
export const pathOf = (link: unknown) => String(link).replace(publicUrl, '');

const log = pino({ level: 'silent' });

/** A service with one company, whose notifications are written and emailed when a test says so. */
export class NotificationSetup {
  /** What the mail server answers to the next messages, in place of accepting them. */
  refusals: Error[] = [];
  mails!: MailServer;
  service!: Service;
  tenant!: Tenant;
  people!: Readonly<Record<'admin' | 'executive' | 'member', Browser>>;
  mailer!: Mailer;
  worker!: NotificationWorker;
  ids!: Readonly<Record<'ada' | 'ben' | 'cleo', string>>;
  /** Clients with tokens of Ada, an admin, and Ben, an executive. */
  ada!: Client;
  ben!: Client;

  /** @param others settings, besides those of email */
  static async start(others: Record<string, string> = {}): Promise<NotificationSetup> {
    const setup = new NotificationSetup();
    const { refuse } = setup;
    setup.mails = await startMailServer({
      onMailFrom: (_address, _session, done) => done(refuse((message) => message === 'sender')),
      onRcptTo: (_address, _session, done) => done(refuse(() => true)),
    });
    const env = { SMTP_URL: setup.mails.url, PUBLIC_URL: publicUrl, SMTP_FROM: 'premises@acme.example' };
    const service = await startService({ ...env, ...others });
    const tenant = await service.tenant('acme');
    const [ada, ben, cleo] = tenant.users.map(({ id }) => id) as [string, string, string];
    Object.assign(setup, {
      service,
      tenant,
      ids: { ada, ben, cleo },
      mailer: await createMailer(readConfig(env), log),
    });
    setup.people = await signInAll(service, tenant);
    setup.ada = await tenant.client();
    setup.ben = await setup.clientOf(tenant, ben);
    setup.worker = setup.createWorker();
    return setup;
  }

  async stop(): Promise<void> {
    await this.worker.close();
    await this.mailer.close();
    await this.service.close();
    await this.mails.close();
  }

  /** Forgets what a test has left. */
  async reset(): Promise<void> {
    const { prisma } = this.service.database;
    await prisma.notificationPreference.deleteMany();
    await this.deliver();
    await prisma.notification.deleteMany();
    this.mails.messages.length = 0;
    this.refusals = [];
  }

  private readonly refuse = (applies: (message: string) => boolean): Error | null => {
    const [next] = this.refusals;
    return next && applies(next.message) ? (this.refusals.shift() ?? null) : null;
  };

  createWorker(by: Mailer = this.mailer): NotificationWorker {
    const { database, tracer } = this.service;
    return notificationWorker({ database, api, mailer: by, tracer, log });
  }

  /** A client with a token of a user. */
  async clientOf({ company }: Tenant, userId: string): Promise<Client> {
    const facts = { companyId: company.id, userId, name: 'test', scopes: ['*'], live: true, expiresAt: null };
    const { origin, database } = this.service;
    return new Client(origin, (await createToken(database.prisma, facts)).token);
  }

  sql(text: string, ...values: unknown[]) {
    return this.service.database.query({ text, values });
  }

  /** Does what the service does within a minute. @returns the messages, by recipient */
  async deliver(by: NotificationWorker = this.worker): Promise<Record<string, string>> {
    await waitForOlderTransactions(this.service.database);
    await by.deliverPending();
    await this.sql(`UPDATE notifications SET next_at = now() WHERE mail_status = 'pending'`);
    await by.deliverPending();
    const nameOf = (recipients: readonly string[]) => recipients[0]?.split('@')[0];
    return Object.fromEntries(this.mails.messages.map(({ recipients, text }) => [nameOf(recipients), text ?? '']));
  }

  mailTo(name: string) {
    return this.mails.messages.filter(({ recipients }) => recipients[0]?.startsWith(`${name}@`));
  }

  /** Creates a request of Ada's that Cleo watches. */
  async createRequest(body: Row = {}, by: Client = this.ada): Promise<string> {
    const { row } = await by.post('/service-requests', { title: 'The lobby light flickers', ...body });
    const id = String(row['id']);
    await by.post(`/service-requests/${id}/watchers`, { user_id: this.ids.cleo });
    return id;
  }

  async list(browser: Client, args = '') {
    const { data, errors } = await browser.graphql<{
      notifications: { notifications: Row[]; next: string | null; unread: number };
    }>(`{ notifications${args} { unread next notifications { id kind title text path resource rowId readAt } } }`);
    expect(errors).toEqual([]);
    return data.notifications;
  }

  async prefer(browser: Client, kind: string, delivery: string): Promise<void> {
    const { errors } = await browser.graphql(
      `mutation { setNotificationPreference(kind: ${kind}, delivery: ${delivery}) { kind } }`,
    );
    expect(errors).toEqual([]);
  }
}
