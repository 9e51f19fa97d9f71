import type { FastifyBaseLogger } from 'fastify';
import { deletePages } from '../database/delete-pages.ts';
import type { Database } from '../database/index.ts';
import { type FileStore, fileOf, folderOf } from '../files/index.ts';
import { uploadHours } from '../schema/files/uploads.ts';
import { LeaderLock } from './leader-lock.ts';
import { Repeater } from './repeater.ts';

/** How often (ms) it is looked for files to delete. */
const intervalMs = 60_000;

/** For how long (hours) a file is kept that no row holds. */
export const unheldHours = 24;

/** How often (ms) the store is compared with the database. */
const comparisonIntervalMs = 24 * 3_600_000;

/** For how long (ms) an object may be without a row: as long as it may take to arrive. */
const arrivingMs = 24 * 3_600_000;

/** How many files are deleted, or compared, at once. */
const filesAtOnce = 500;

/** What the deletion of files depends on. */
interface StoredFilesDependencies {
  readonly database: Database;
  readonly files: { readonly store: FileStore };
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Deletes files that no row has held for a day, and the bytes of files that have no row. One instance at a time does
 * it, the leader.
 */
export class StoredFiles {
  private readonly leaderLock: LeaderLock;
  private comparedAt = Number.NEGATIVE_INFINITY;
  private readonly repeater = new Repeater(
    () => this.tick(),
    intervalMs,
    (err) => this.dependencies.log.warn({ err }, 'files were not deleted'),
  );

  constructor(private readonly dependencies: StoredFilesDependencies) {
    this.leaderLock = new LeaderLock(dependencies.database, 'files');
  }

  /** Starts it. */
  start(): void {
    this.repeater.start();
  }

  /** Stops it, and lets another instance go on. */
  async close(): Promise<void> {
    await this.repeater.stop();
    await this.leaderLock.release().catch(() => {}); // It expires by itself.
  }

  /** Deletes what is due, unless another instance is the leader. */
  async tick(): Promise<void> {
    if (!(await this.leaderLock.acquireLeadership())) return;
    await this.deleteUnheld();
    await this.deleteUploads();
    await this.deleteBytes();
    if (performance.now() - this.comparedAt < comparisonIntervalMs) return;
    this.comparedAt = performance.now();
    await this.deleteUnknown();
  }

  private async deleteUnheld(): Promise<void> {
    const { prisma } = this.dependencies.database;
    await deletePages(
      (size) => prisma.$executeRaw`
        DELETE FROM files WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM files WHERE unheld_since < now() - make_interval(hours => ${unheldHours}::int)
          ORDER BY unheld_since LIMIT ${size} FOR UPDATE SKIP LOCKED
        ))`,
      () => this.repeater.isStopped,
    );
  }

  /** Deletes uploads that were not finished in time. */
  private async deleteUploads(): Promise<void> {
    const { prisma } = this.dependencies.database;
    await deletePages(
      (size) => prisma.$executeRaw`
        DELETE FROM file_uploads WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM file_uploads
          WHERE created_at < now() - make_interval(hours => ${uploadHours}::int)
            AND (locked_until IS NULL OR locked_until < clock_timestamp())
          ORDER BY created_at LIMIT ${size} FOR UPDATE SKIP LOCKED
        ))`,
      () => this.repeater.isStopped,
    );
  }

  /** Deletes the bytes of files whose rows were deleted. */
  private async deleteBytes(): Promise<void> {
    const { database, files } = this.dependencies;
    const { fileRemoval } = database.prisma;
    while (!this.repeater.isStopped) {
      const removals = await fileRemoval.findMany({ orderBy: { id: 'asc' }, take: filesAtOnce });
      for (const { company, fileId } of removals)
        await files.store.remove(folderOf({ companyId: company, id: fileId }));
      await fileRemoval.deleteMany({ where: { id: { in: removals.map(({ id }) => id) } } });
      if (removals.length < filesAtOnce) return;
    }
  }

  /** Deletes what is left in the store of files whose senders, or whose instance, have gone while they were sent. */
  private async deleteUnknown(): Promise<void> {
    const { database, files } = this.dependencies;
    const settings = { olderThanMs: arrivingMs, isStopped: () => this.repeater.isStopped };
    for await (const folders of unknownFolders(database, files.store, settings))
      for (const folder of folders) await files.store.remove(folder);
  }
}

/** Which folders are looked for, and until when. */
interface Search {
  /** For how long (ms) the store has had what is found. */
  readonly olderThanMs: number;
  readonly isStopped?: () => boolean;
}

/**
 * Finds what the store has of files without rows, and of the parts of uploads without rows.
 *
 * @returns the folders of files, some at a time
 */
export async function* unknownFolders(
  { prisma }: Pick<Database, 'prisma'>,
  store: FileStore,
  { olderThanMs, isStopped = () => false }: Search,
): AsyncGenerator<string[]> {
  const oldest = Date.now() - olderThanMs;
  let found = new Map<string, { readonly companyId: string; readonly id: string }>();
  const unknown = async (): Promise<string[]> => {
    const keys = [...found.values()];
    const companyId = { in: [...new Set(keys.map(({ companyId }) => companyId))] };
    const ids = { in: keys.map(({ id }) => id) };
    const rows = await prisma.file.findMany({ where: { companyId, id: ids }, select: { companyId: true, id: true } });
    const uploads = await prisma.fileUpload.findMany({
      where: { companyId, partsId: ids },
      select: { companyId: true, partsId: true },
    });
    const parts = uploads.map(({ companyId, partsId: id }) => ({ companyId, id }));
    const known = new Set([...rows, ...parts].map(folderOf));
    const folders = [...found.keys()].filter((folder) => !known.has(folder));
    found = new Map();
    return folders;
  };
  for await (const { key, storedAt } of store.list()) {
    if (isStopped()) return;
    const file = fileOf(key);
    if (file && storedAt.getTime() <= oldest) found.set(folderOf(file), file);
    if (found.size >= filesAtOnce) yield await unknown();
  }
  yield await unknown();
}
