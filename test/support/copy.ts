import type { Client, Row } from './client.ts';

/** A change of the feed, or a row of a snapshot. */
export interface ReturnedRow {
  readonly resource: string;
  readonly row_id: string;
  readonly version: string;
  readonly action: 'create' | 'update' | 'delete';
  readonly after: Row | null;
}

/** A copy of what a client may read, kept as docs/api/changes.md describes: each row has its highest version. */
export class Copy {
  /** Resource → its rows by id. */
  readonly tables = new Map<string, Map<string, Row>>();
  /** The versions of all changes that the feed has returned. */
  readonly returned: string[] = [];
  position: string | undefined;
  private readonly versions = new Map<string, bigint>();

  /** @param query which resources are copied; all without any */
  constructor(private readonly query: { readonly resource?: string } = {}) {}

  /** Begins with a snapshot. @returns its number of lines */
  async readSnapshot(client: Client): Promise<number> {
    const lines = (await client.get('/snapshot', this.query)).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ReturnedRow | { position: string } | { complete: true });
    const [first, ...rest] = lines;
    const last = rest.pop();
    if (!first || !('position' in first) || !last || !('complete' in last))
      throw new Error('the snapshot is not whole');
    this.position = first.position;
    for (const row of rest as ReturnedRow[]) this.apply(row);
    return lines.length;
  }

  /** Reads the feed to its end. */
  async readOn(client: Client): Promise<void> {
    for (let more = true; more; ) {
      const { row } = await client.get('/changes', { ...this.query, ...(this.position && { after: this.position }) });
      const page = row as unknown as { changes: ReturnedRow[]; next: string; has_more: boolean };
      for (const change of page.changes) {
        this.returned.push(change.version);
        this.apply(change);
      }
      this.position = page.next;
      more = page.has_more;
    }
  }

  /** The rows of a resource, by id. */
  rowsOf(resource: string): Row[] {
    const rows = [...(this.tables.get(resource)?.values() ?? [])];
    return rows.toSorted((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1));
  }

  private apply({ resource, row_id: id, version, action, after }: ReturnedRow): void {
    const key = `${resource} ${id}`;
    if ((this.versions.get(key) ?? -1n) > BigInt(version)) return;
    this.versions.set(key, BigInt(version));
    const rows = this.tables.get(resource) ?? new Map<string, Row>();
    this.tables.set(resource, rows);
    if (action === 'delete' || !after) rows.delete(id);
    else rows.set(id, after);
  }
}
