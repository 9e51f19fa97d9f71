import type { Client, Reply, Row } from './client.ts';

/** Sends bytes as they are. @returns the status and the JSON of the answer */
export async function sendBytes(
  { origin, token }: Client,
  path: string,
  body: RequestInit['body'],
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<{ status: number; headers: Headers; json: Row; row: Row; error: Row }> {
  const reply = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(body != null && { body }),
    // Node's fetch needs it for streams.
    ...({ duplex: 'half' } as object),
  });
  const text = await reply.text();
  const json = (text === '' ? {} : JSON.parse(text)) as Row;
  return { status: reply.status, headers: reply.headers, json, row: json['data'] as Row, error: json['error'] as Row };
}

/** Sends a file, and returns its row. */
export async function addFile(client: Client, body: string | Uint8Array<ArrayBuffer>, name = 'file.txt'): Promise<Row> {
  const { status, row, json } = await sendBytes(client, `/files?name=${encodeURIComponent(name)}`, body, {
    'content-type': 'application/octet-stream',
  });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(json)}`);
  return row;
}

/** Gets the content of a file. */
export const contentOf = (
  { origin, token }: Client,
  id: string,
  headers: Record<string, string> = {},
  method = 'GET',
) =>
  fetch(`${origin}/api/v1/files/${id}/content`, {
    method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
  });

export type { Reply };
