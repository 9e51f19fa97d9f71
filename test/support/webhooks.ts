import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/database/index.ts';
import { createMailer, type Mailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import { type Browser, signInAll } from './browser.ts';
import type { Client, GraphqlReply, Row } from './client.ts';
import { type WebhookWorker, webhookWorker } from './log-worker.ts';
import { waitForOlderTransactions } from './older-transactions.ts';
import { type Service, startService, type Tenant } from './service.ts';
import { type MailServer, startMailServer } from './smtp.ts';

/** A message that a receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly message: Row;
  readonly path: string;
}

/** Answers a request whose body was read. */
type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A receiver of webhooks on loopback, which responds with 200 by default. */
export class Receiver {
  readonly received: Received[] = [];
  /** Statuses of the next answers, before `answer` is asked. */
  statuses: number[] = [];
  answer: Answer = (response) => response.writeHead(this.statuses.shift() ?? 200).end('Thanks');
  private server = createServer();
  private port = 0;

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await receiver.listen();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens, at the same address as before. */
  async listen(): Promise<void> {
    this.server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        const message = JSON.parse(body) as Row;
        this.received.push({ headers: request.headers, body, message, path: request.url ?? '' });
        this.answer(response, request);
      });
    }).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** The type and the row of each message. */
  get receivedEvents(): unknown[] {
    return this.received.map(({ message }) => [message['type'], dataOf(message)['row_id']]);
  }
}

/** What a message is about. */
export const dataOf = (message: Row | undefined): Row => (message?.['data'] ?? {}) as Row;

/** Verifies a message as receivers do. @throws WebhookVerificationError @returns the message */
export const verify = (secret: string, received: Received | undefined): unknown =>
  new Webhook(secret).verify(received?.body ?? '', (received?.headers ?? {}) as Record<string, string>);

/** The fields of a webhook that tests read. */
const fields = 'id name url ownerId resources actions filter selection enabled switchedOffReason failingSince';

/** A service whose webhooks are sent when a test asks for it, with people, a receiver and a mail server. */
export class WebhookService {
  private constructor(
    readonly service: Service,
    readonly tenant: Tenant,
    /** The company of the other admin. */
    readonly otherTenant: Tenant,
    /** A token of the first user. */
    readonly client: Client,
    readonly people: { readonly admin: Browser; readonly member: Browser; readonly otherAdmin: Browser },
    readonly receiver: Receiver,
    readonly mails: MailServer,
    private readonly mailer: Mailer,
  ) {
    this.worker = this.startWorker();
  }

  /** Sends messages. */
  readonly worker: WebhookWorker;

  /** @param env settings, besides those of webhooks */
  static async start(env: Record<string, string> = {}): Promise<WebhookService> {
    const [service, receiver, mails] = await Promise.all([
      startService({ WEBHOOK_ALLOW_HOSTS: '127.0.0.1', ...env }),
      Receiver.start(),
      startMailServer(),
    ]);
    const tenant = await service.tenant();
    const { admin, member } = await signInAll(service, tenant);
    const otherTenant = await service.tenant();
    const { admin: otherAdmin } = await signInAll(service, otherTenant);
    const mail = { SMTP_URL: mails.url, SMTP_FROM: 'premises@acme.example', PUBLIC_URL: 'https://premises.example' };
    const mailer = await createMailer(readConfig(mail), { warn: () => {} });
    return new WebhookService(
      service,
      tenant,
      otherTenant,
      await tenant.client(),
      { admin, member, otherAdmin },
      receiver,
      mails,
      mailer,
    );
  }

  /**
   * What another instance has.
   *
   * @param allowedHosts those that may be private
   * @param replaced what differs of its database
   */
  startWorker(allowedHosts = ['127.0.0.1'], replaced: Partial<Database> = {}): WebhookWorker {
    const database = { ...this.service.database, ...replaced };
    const { mailer } = this;
    const { tracer } = this.service;
    return webhookWorker({ database, api, allowedHosts, mailer, tracer, log: { warn: () => {} } });
  }

  async close(): Promise<void> {
    await this.worker.close();
    await this.mailer.close();
    await Promise.all([this.receiver.close(), this.mails.close()]);
    await this.service.close();
  }

  /** Deletes the webhooks, and what was received and mailed. */
  async reset(): Promise<void> {
    await this.service.database.prisma.webhook.deleteMany();
    this.receiver.received.length = 0;
    this.receiver.statuses = [];
    this.mails.messages.length = 0;
  }

  sql = (text: string, ...values: unknown[]) => this.service.database.query({ text, values });

  /** Does what the time does: everything that is due later is due so many seconds earlier. */
  async pass(seconds: number): Promise<void> {
    const earlier = (column: string) => `${column} = ${column} - make_interval(secs => $1)`;
    const columns = ['next_at', 'leased_until', 'attempted_at'].map(earlier);
    await this.sql(`UPDATE webhook_deliveries SET ${columns.join(', ')}`, seconds);
    await this.sql(`UPDATE webhooks SET ${earlier('failing_since')}`, seconds);
  }

  tryCreate(
    browser: Client,
    input: Row = {},
  ): Promise<GraphqlReply<{ createWebhook: { secret: string; webhook: Row } | null }>> {
    return browser.graphql(
      `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { ${fields} } } }`,
      { input: { name: 'CRM', url: this.receiver.url, resources: ['PAINTS'], ...input } },
    );
  }

  async create(browser: Client, input: Row = {}): Promise<{ id: string; secret: string }> {
    // Changes that cannot be read yet are new to a webhook.
    await waitForOlderTransactions(this.service.database);
    const { data, errors } = await this.tryCreate(browser, input);
    expect(errors).toEqual([]);
    return { id: String(data.createWebhook?.webhook['id']), secret: String(data.createWebhook?.secret) };
  }

  async mutate(browser: Client, field: string, args: Row, selection: string): Promise<Row> {
    const types: Record<string, string> = { input: 'UpdateWebhookInput!', from: 'DateTime!', until: 'DateTime!' };
    const declared = Object.keys(args).map((name) => `$${name}: ${types[name] ?? 'ID!'}`);
    const passed = Object.keys(args).map((name) => `${name}: $${name}`);
    const query = `mutation (${declared.join(', ')}) { ${field}(${passed.join(', ')}) { ${selection} } }`;
    const { data, errors } = await browser.graphql(query, args);
    expect(errors).toEqual([]);
    return data[field] as Row;
  }

  /** The webhooks that somebody manages. */
  async list(browser: Client): Promise<Row[]> {
    return (await browser.graphql<{ webhooks: Row[] }>(`{ webhooks { ${fields} } }`)).data.webhooks;
  }

  /** The log of deliveries, oldest first. */
  async deliveries(browser: Client, webhookId: string): Promise<Row[]> {
    const { data } = await browser.graphql<{ webhookDeliveries: Row[] }>(
      `query ($id: ID!) { webhookDeliveries(webhookId: $id) {
        id event status attempts attemptedAt durationMs answerStatus answer error request nextAt
      } }`,
      { id: webhookId },
    );
    return data.webhookDeliveries.toReversed();
  }

  /** Sends all that is pending. */
  async deliverAll(by: WebhookWorker = this.worker): Promise<void> {
    await waitForOlderTransactions(this.service.database);
    await by.deliverPending();
  }

  /** Creates a paint. @returns its id */
  async paint(name: string): Promise<string> {
    return String((await this.client.post('/paints', { name })).row['id']);
  }
}
