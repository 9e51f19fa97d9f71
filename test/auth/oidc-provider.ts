import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { publicOrigin } from '../support/browser.ts';

// It logs at length that it is not configured for production.
for (const method of ['warn', 'info'] as const) jest.spyOn(console, method).mockImplementation(() => {});
const { default: Provider } = await import('oidc-provider');

/** A person's claims at the provider. */
export interface Claims {
  email?: string;
  email_verified?: boolean | string;
  name?: string;
}

/** The service's callback, to which the provider redirects. */
export const callback = `${publicOrigin}/auth/callback/oidc`;
export const client = { client_id: 'premises', client_secret: 'a secret between the two' };

/** The settings of a service that signs people in at this provider. */
export const providerSettings = (OIDC_ISSUER: string) => ({
  OIDC_ISSUER,
  OIDC_CLIENT_ID: client.client_id,
  OIDC_CLIENT_SECRET: client.client_secret,
  OIDC_NAME: 'Example ID',
});

/** A real OpenID provider, with sign-in and consent pages. */
export class TestProvider {
  /** The people's claims, by subject. */
  readonly people = new Map<string, Claims>();
  /** Changes the ID tokens that it issues; an empty one is left out. */
  tamper = (identity: string): string => identity;
  private server: Server = createServer();

  private constructor(
    readonly issuer: string,
    private readonly port: number,
  ) {}

  static async start(): Promise<TestProvider> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const provider = new TestProvider(`http://127.0.0.1:${port}`, port);
    provider.server = server;
    provider.serve();
    return provider;
  }

  private serve(): void {
    const provider = new Provider(this.issuer, {
      clients: [
        { ...client, redirect_uris: [callback], grant_types: ['authorization_code'], response_types: ['code'] },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      findAccount: (_context, accountId) => ({
        accountId,
        claims: () => ({ sub: accountId, ...this.people.get(accountId) }),
      }),
      cookies: { keys: ['for tests'] },
    });
    provider.use(async (context, next) => {
      await next();
      const body = context.body as { id_token?: string } | undefined;
      if (context.path === '/token' && body?.id_token) body.id_token = this.tamper(body.id_token) || undefined;
    });
    this.server.on('request', provider.callback());
  }

  /** Stops responding, until `restart`. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
  async restart(): Promise<void> {
    this.server = createServer().listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.serve();
  }

  /** Goes through the provider's pages, and returns the address it redirects to. @param subject null cancels */
  async visit(address: string, subject: string | null): Promise<string> {
    const cookies = new Map<string, string>();
    const go = async (url: string, form?: Record<string, string>) => {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      });
      for (const cookie of response.headers.getSetCookie())
        cookies.set(/^[^=]+/.exec(cookie)?.[0] ?? '', /=([^;]*)/.exec(cookie)?.[1] ?? '');
      return { to: new URL(response.headers.get('location') ?? url, url).href, text: await response.text() };
    };
    let { to, text } = await go(address);
    for (let steps = 0; steps < 12 && !to.startsWith(publicOrigin); steps++) {
      const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
      const action = /action="([^"]+)"/.exec(text)?.[1] ?? to;
      if (prompt === undefined) ({ to, text } = await go(to));
      else if (subject === null) ({ to, text } = await go(`${action}/abort`));
      else
        ({ to, text } = await go(action, prompt === 'login' ? { prompt, login: subject, password: 'x' } : { prompt }));
    }
    return to;
  }
}
