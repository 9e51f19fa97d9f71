import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { Browser, publicOrigin } from './browser.ts';
import type { Client, FieldError, Row } from './client.ts';
import { EventReader } from './event-reader.ts';
import { waitForOlderTransactions } from './older-transactions.ts';
import type { Service } from './service.ts';

/** The data of an event `next`. */
export interface Payload {
  readonly data?: Readonly<Record<string, ListEvent | null>> | null;
  readonly errors?: readonly FieldError[];
  readonly extensions?: { readonly position?: string };
}

/** What subscriptions in tests select, mostly. */
export interface ListEvent {
  readonly change: Row & { readonly position: string };
  readonly row: Row | null;
}

/** The fields of a change that most tests look at. */
export const selected = 'change { position action id changedFields }';

/** A GraphQL subscription over server-sent events. */
export class Listening extends EventReader {
  /** Subscribes, and waits for the headers. */
  static async open(
    client: Client,
    query: string,
    variables: Row = {},
    headers: Record<string, string> = {},
  ): Promise<Listening> {
    const cookies = client instanceof Browser ? [...client.cookies] : [];
    const request = sendRequest(`${client.origin}/graphql`, {
      method: 'POST',
      agent: false,
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        ...(client.token && { authorization: `Bearer ${client.token}` }),
        ...(cookies.length > 0 && {
          cookie: cookies.map(([name, value]) => `${name}=${value}`).join('; '),
          'sec-fetch-site': 'same-origin',
          origin: publicOrigin,
        }),
        ...headers,
      },
    });
    request.end(JSON.stringify({ query, variables }));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return new Listening(response);
  }

  /** The payloads so far. */
  get payloads(): Payload[] {
    return this.texts.map(({ data }) => JSON.parse(data) as Payload);
  }

  /** The ids of the events so far. */
  get ids(): string[] {
    return this.texts.map(({ id }) => id);
  }

  /** The events so far of the subscription's only field. */
  get events(): ListEvent[] {
    return this.payloads.flatMap(({ data }) => Object.values(data ?? {}).filter((event) => event !== null));
  }

  /** Whether the service has said that the subscription is over. */
  get isComplete(): boolean {
    return this.text.endsWith('event: complete\ndata:\n\n');
  }

  /** Waits for so many payloads. */
  async received(count: number): Promise<this> {
    await this.wait(() => this.texts.length >= count, `${count} events`);
    return this;
  }

  private get texts(): { id: string; data: string }[] {
    return [...this.text.matchAll(/event: next\n(?:id: (.*)\n)?data: (.*)\n\n/g)].map(([, id = '', data = '']) => ({
      id,
      data,
    }));
  }
}

/** A subscription to all paints, or those of a filter. */
export const paints = `subscription ($filter: PaintFilter, $after: String) {
  paints(filter: $filter, after: $after) { ${selected} row { id name brand } }
}`;

/** Opens subscriptions of a service. `closeAll` closes them. */
export function listeners(service: () => Service) {
  const open: Listening[] = [];
  return {
    /** Subscribes as soon as the log has all that has happened. */
    async listen(reader: Client, query: string, variables: Row = {}, headers: Record<string, string> = {}) {
      await waitForOlderTransactions(service().database);
      const listening = await Listening.open(reader, query, variables, headers);
      open.push(listening);
      return listening;
    },
    closeAll() {
      for (const each of open.splice(0)) each.close();
    },
  };
}
