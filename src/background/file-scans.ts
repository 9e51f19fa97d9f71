import type { FastifyBaseLogger } from 'fastify';
import type { File } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import { type Files, originalOf, ScanFailed, ScannerUnavailable } from '../files/index.ts';
import type { Mailer } from '../mail/index.ts';
import { storeScan } from '../schema/files/scans.ts';
import { LeaderLock } from './leader-lock.ts';
import { notifyOfMalware } from './notifications/malware.ts';
import { Repeater } from './repeater.ts';

/** How often (ms) it is looked for files to scan. */
const intervalMs = 3000;

/** How many files of a company are scanned before those of another. */
const filesAtOnce = 5;

/** How long (ms) a file waits that the scanner has not scanned although it was reached. It fails with the last try. */
const pausesMs = [60_000, 300_000, 1_800_000, 7_200_000] as const;

/** How many such files wait at most, and for how long (ms) after they were due: those that were deleted go then. */
const maxWaiting = 1000;
const forgottenMs = 86_400_000;

/** A file that is tried again. */
interface Waiting {
  readonly tries: number;
  /** When, in ms. */
  readonly due: number;
}

/** What scans depend on. */
interface FileScansDependencies {
  readonly database: Database;
  readonly files: Files;
  readonly mailer: Pick<Mailer, 'isEnabled'>;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Scans files that were not scanned when they arrived: large ones, those that arrived while the scanner was down, and
 * those from before there was one, in this order. One instance at a time does it, the leader.
 */
export class FileScans {
  private readonly leaderLock: LeaderLock;
  private readonly ended = new AbortController();
  private lastCompany = '';
  private isReported = false;
  /** The files that are tried again, by their ids. Another instance, or this one when it starts again, begins anew. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly repeater = new Repeater(
    () => this.tick(),
    intervalMs,
    (err) => this.report(err),
  );

  constructor(private readonly dependencies: FileScansDependencies) {
    this.leaderLock = new LeaderLock(dependencies.database, 'file-scans');
  }

  /** Starts it, where there is a scanner. */
  start(): void {
    if (this.dependencies.files.scanner) this.repeater.start();
  }

  /** Stops it, and lets another instance go on. */
  async close(): Promise<void> {
    this.ended.abort();
    await this.repeater.stop();
    await this.leaderLock.release().catch(() => {}); // It expires by itself.
  }

  /** Scans what is due, unless another instance is the leader. @throws ScannerUnavailable, until a later turn */
  async tick(): Promise<void> {
    for (const status of ['PENDING', null] as const) {
      for (;;) {
        const page = await this.nextPage(status);
        if (page.length === 0) break;
        for (const file of page) {
          // Renews the lease: a scan may take long.
          if (this.repeater.isStopped || !(await this.leaderLock.acquireLeadership())) return;
          await this.scan(file);
        }
      }
    }
  }

  /** The newest files of the next company that has any, without those that wait. */
  private async nextPage(scanStatus: 'PENDING' | null): Promise<File[]> {
    const { file } = this.dependencies.database.prisma;
    const now = Date.now();
    for (const [each, { due }] of this.waiting) if (due + forgottenMs < now) this.waiting.delete(each);
    const id = { notIn: [...this.waiting].flatMap(([each, { due }]) => (due > now ? [each] : [])) };
    const find = (after: { gt?: string }) =>
      file.findFirst({
        where: { scanStatus, id, ...(after.gt && { companyId: after }) },
        select: { companyId: true },
        orderBy: { companyId: 'asc' },
      });
    const found = (this.lastCompany && (await find({ gt: this.lastCompany }))) || (await find({}));
    if (!found) return [];
    this.lastCompany = found.companyId;
    const { companyId } = found;
    return file.findMany({ where: { scanStatus, companyId, id }, orderBy: { id: 'desc' }, take: filesAtOnce });
  }

  private async scan(file: File): Promise<void> {
    const { database, files } = this.dependencies;
    const content = await files.store.read(originalOf(file));
    const reason = 'The content of the file is not available.';
    try {
      const result = content
        ? await files.scanner?.scan(content, this.ended.signal)
        : { status: 'FAILED' as const, reason };
      const isInfected = result?.status === 'INFECTED';
      const tell = () => notifyOfMalware(database, file, this.dependencies.mailer.isEnabled);
      if (result) await storeScan(database, file, result, isInfected ? tell : undefined);
    } catch (error) {
      if (!(error instanceof ScanFailed)) throw error;
      await this.postpone(file, error);
      return;
    }
    this.waiting.delete(file.id);
    this.isReported = false;
  }

  /** Has a file wait, so that it does not stop others, or gives it up. @throws ScanFailed when all of them may fail */
  private async postpone(file: File, error: ScanFailed): Promise<void> {
    const { database, log } = this.dependencies;
    const { tries } = this.waiting.get(file.id) ?? { tries: 0 };
    const pause = pausesMs[tries];
    if (pause === undefined) {
      await storeScan(database, file, { status: 'FAILED', reason: 'The scanner for malware cannot read it.' });
      this.waiting.delete(file.id);
    } else {
      if (!this.waiting.has(file.id) && this.waiting.size >= maxWaiting) throw error;
      this.waiting.set(file.id, { tries: tries + 1, due: Date.now() + pause });
    }
    if (!error.hasAnswered) throw error;
    log.warn({ err: error, fileId: file.id }, 'a file was not scanned');
  }

  private report(err: unknown): void {
    if (this.ended.signal.aborted || (err instanceof ScannerUnavailable && this.isReported)) return;
    this.isReported = true;
    this.dependencies.log.warn({ err }, 'files were not scanned');
  }
}
