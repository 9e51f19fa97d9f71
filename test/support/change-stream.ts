import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Client, Row } from './client.ts';
import { EventReader } from './event-reader.ts';

/** The feed of changes as a stream. */
export class ChangeStream extends EventReader {
  /** Begins to read, and waits for the headers. */
  static async open(
    { origin, token }: Client,
    query: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<ChangeStream> {
    const sent = { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers };
    const url = `${origin}/api/v1/changes?${new URLSearchParams(query)}`;
    const [response] = (await once(get(url, { headers: sent, agent: false }), 'response')) as [IncomingMessage];
    return new ChangeStream(response);
  }

  /** The events so far. */
  get events(): { id: string; changes: Row[] }[] {
    return [...this.text.matchAll(/^id: (.*)\ndata: (.*)\n\n/gm)].map(([, id = '', data = '']) => ({
      id,
      changes: (JSON.parse(data) as { changes: Row[] }).changes,
    }));
  }

  /** The changes so far. */
  get changes(): Row[] {
    return this.events.flatMap(({ changes }) => changes);
  }

  /** Waits for the first event, which can be without changes, or for the end of the response. */
  async begun(): Promise<this> {
    await this.wait(() => this.isOver || this.events.length > 0, 'an event');
    return this;
  }

  /** Waits for so many changes, or for the end of the response. */
  async received(count: number): Promise<this> {
    await this.wait(() => this.isOver || this.changes.length >= count, `${count} changes`);
    return this;
  }
}
