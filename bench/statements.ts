/** Counts the statements that a server sends to PostgreSQL, on a proxy between them. */
import { type AddressInfo, connect, createServer } from 'node:net';

/** The messages Execute and Query of PostgreSQL's protocol. */
const kinds = [...'EQ'].map((type) => type.charCodeAt(0));

/** A proxy in front of a database. */
interface CountingProxy {
  /** The database's connection string, by way of the proxy. */
  url: string;
  /** How many statements have passed. */
  count(): number;
  close(): void;
}

/** Starts a proxy. It adds to the time of each statement, so nothing else is measured through it. */
export async function startProxy(databaseUrl: string): Promise<CountingProxy> {
  const target = new URL(databaseUrl);
  let statements = 0;
  const server = createServer((client) => {
    const database = connect(Number(target.port || 5432), target.hostname);
    client.pipe(database).pipe(client);
    for (const socket of [client, database])
      socket.on('error', () => {
        client.destroy();
        database.destroy();
      });
    let rest = Buffer.alloc(0);
    let typeLength = 0; // The first message of a connection has no type.
    client.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      while (rest.length >= typeLength + 4) {
        const end = typeLength + rest.readInt32BE(typeLength);
        if (rest.length < end) break;
        if (typeLength === 1 && kinds.includes(rest[0]!)) statements++;
        rest = rest.subarray(end);
        typeLength = 1;
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, count: () => statements, close: () => server.close() };
}
