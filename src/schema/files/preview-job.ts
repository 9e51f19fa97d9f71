import type { Prisma } from '../../database/generated/client/client.ts';
import { type FileKey, folderOf, notScanned, readableNow, storePreviews, UnfitFile } from '../../files/index.ts';
import { defineJob, type GivenUpJob } from '../../jobs/index.ts';

/** Makes the previews of a file. A trigger adds it for files that wait for them. */
export const previewFile = defineJob<{ readonly fileId: string }>({
  kind: 'preview',
  pauses: [10, 60, 600, 3600],
  slots: 2,
  async run({ fileId }, job) {
    const { companyId, files, signal } = job;
    if (!files) throw new Error('There is no store of files.');
    const key = { companyId, id: fileId };
    const file = await job.database.prisma.file.findFirst({ where: { ...key, previewStatus: 'PENDING' } });
    // One that is scanned later has another job then.
    const readable = file && readableNow(file.scanStatus, files.scanner);
    if (!file || readable === 'later') return;
    try {
      if (readable === 'never') throw new UnfitFile(notScanned);
      const previewBytes = await storePreviews(files.store, { key, mediaType: file.mediaType }, signal);
      const isLeft = await end(key, job, { previewStatus: 'READY', previewBytes });
      // It was deleted in the meantime, and its bytes maybe before the previews were stored.
      if (!isLeft) await files.store.remove(folderOf(key));
    } catch (error) {
      if (!(error instanceof UnfitFile)) throw error;
      await end(key, job, { previewStatus: 'FAILED', previewError: error.message });
    }
  },
  async onGivenUp({ fileId }, job) {
    const previewError = 'The service failed in all attempts; its log may say why.';
    await end({ companyId: job.companyId, id: fileId }, job, { previewStatus: 'FAILED', previewError });
  },
});

/** Stores what became of the previews of a file. @returns whether there still is the file */
async function end(
  key: FileKey,
  { database: { prisma } }: Pick<GivenUpJob, 'database'>,
  data: Prisma.FileUpdateManyMutationInput,
): Promise<boolean> {
  const { count } = await prisma.file.updateMany({ where: { companyId: key.companyId, id: key.id }, data });
  return count > 0;
}
