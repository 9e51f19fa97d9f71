import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../database/index.ts';
import type { Caller } from './caller.ts';
import { loadSecret } from './sessions/secrets.ts';

/** What a link is for: to read a file, to send one, to go on sending one, or to print labels by a template. */
export type LinkPurpose = 'read' | 'send' | 'resume' | 'labels';

/** What a link allows. */
interface LinkTarget {
  readonly purpose: LinkPurpose;
  /** The id of the file to read or of the upload, or of the link that a file is sent by. */
  readonly id: string;
  /** The name of the file to send. */
  readonly name?: string;
}

/** Who has made a link. */
export type LinkHolder = Pick<Caller, 'id' | 'companyId'> & { readonly kind: 'token' | 'session' };

/** What a link says. */
export interface FileLink {
  readonly id: string;
  readonly holder: LinkHolder;
  readonly expiresAt: Date;
}

/** In the order of the numbers that stand for them. */
const kinds = ['token', 'session'] as const;

/** How many bytes a link has before its signature: the kind, three ids and the time. */
const contentLength = 1 + 3 * 16 + 4;

/** How long (ms) it is known that a link was used: longer than one is valid, by any clock. */
const usedMs = 60 * 60_000;

/**
 * Signs and reads links to files, which work without a token or a cookie. A link is about one file and names who has
 * made it, and says nothing of what that caller may do, which its use looks up. All instances on a database share their
 * secret.
 */
export class FileLinks {
  private secret: string | undefined;

  constructor(private readonly database: Database) {}

  /** Creates the parameter of a link. */
  async sign(target: LinkTarget, { kind, id, companyId }: LinkHolder, expiresAt: Date): Promise<string> {
    const content = Buffer.alloc(contentLength);
    content.writeUInt8(kinds.indexOf(kind));
    for (const [index, each] of [id, companyId, target.id].entries())
      content.write(each.replaceAll('-', ''), 1 + index * 16, 'hex');
    content.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000), contentLength - 4);
    return Buffer.concat([content, await this.signatureOf(content, target)]).toString('base64url');
  }

  /** Reads the parameter of a link; undefined for one that was not signed here, for another target, or has expired. */
  async read(link: string, target: Omit<LinkTarget, 'id'>): Promise<FileLink | undefined> {
    const given = Buffer.from(link, 'base64url');
    const content = given.subarray(0, contentLength);
    const [signature, expected] = [given.subarray(contentLength), await this.signatureOf(content, target)];
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined;
    const expiresAt = new Date(content.readUInt32BE(contentLength - 4) * 1000);
    const kind = kinds[content.readUInt8()];
    if (expiresAt <= new Date() || kind === undefined) return undefined;
    const holder = { kind, id: uuidIn(content, 0), companyId: uuidIn(content, 1) };
    return { id: uuidIn(content, 2), holder, expiresAt };
  }

  /** Notes in the database that a link is used, as only one use may succeed. @returns whether it was unused */
  async use(id: string): Promise<boolean> {
    const { rowCount } = await this.database.query({
      text: 'INSERT INTO rate_limits (key, points, expire) VALUES ($1, 1, $2) ON CONFLICT (key) DO NOTHING',
      values: [keyOf(id), Date.now() + usedMs],
    });
    return rowCount > 0;
  }

  /** Lets a link be used again whose use has failed. */
  async giveBack(id: string): Promise<void> {
    await this.database.query({ text: 'DELETE FROM rate_limits WHERE key = $1', values: [keyOf(id)] });
  }

  private async signatureOf(content: Buffer, { purpose, name = '' }: Omit<LinkTarget, 'id'>): Promise<Buffer> {
    this.secret ??= await loadSecret(this.database, 'file-links');
    return createHmac('sha256', this.secret).update(`file ${purpose} `).update(content).update(name).digest();
  }
}

const keyOf = (id: string): string => `file-link:${id}`;

/** One of the ids of a link. */
const uuidIn = (content: Buffer, index: number): string =>
  content.toString('hex', 1 + index * 16, 17 + index * 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
