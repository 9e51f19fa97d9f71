import { Prisma } from '../../database/generated/client/client.ts';
import { type Database, runAs } from '../../database/index.ts';
import { findText, notScanned, readableNow, type TextPart, UnfitFile } from '../../files/index.ts';
import { defineJob } from '../../jobs/index.ts';

/** How many parts of a text are stored at once. */
const partsAtOnce = 50;

/** A document, and the file that it had when the job was added. */
interface OfDocument {
  readonly companyId: string;
  readonly documentId: string;
  readonly fileId: string;
}

/** Finds the text of a document's file, for searches. A trigger adds it for documents whose files wait to be read. */
export const readDocument = defineJob<{ readonly documentId: string; readonly fileId: string }>({
  kind: 'document-text',
  pauses: [10, 60, 600, 3600],
  slots: 2,
  async run({ documentId, fileId }, { companyId, files, signal, database }) {
    if (!files) throw new Error('There is no store of files.');
    const document = { companyId, documentId, fileId };
    const file = await database.prisma.file.findFirst({ where: { companyId, id: fileId } });
    // A document that has another file by now, and a file that is scanned later, have jobs of their own.
    const readable = file && readableNow(file.scanStatus, files.scanner);
    if (!file || readable === 'later' || !(await setStatus(database, document, 'PROCESSING'))) return;
    const { mediaType, size } = file;
    const stored = { key: { companyId, id: fileId }, mediaType, size: Number(size) };
    try {
      if (readable === 'never') throw new UnfitFile(notScanned);
      await findText(files.store, stored, signal, (parts) => storeText(database, document, parts));
      await setStatus(database, document, 'PROCESSED');
    } catch (error) {
      if (!(error instanceof UnfitFile)) throw error;
      await setStatus(database, document, 'FAILED', error.message);
    }
  },
  async onGivenUp({ documentId, fileId }, { companyId, database }) {
    const message = 'The service failed in all attempts; its log may say why.';
    await setStatus(database, { companyId, documentId, fileId }, 'FAILED', message);
  },
});

/** Sets the status of a document that waits or is being read. @returns whether it still has the file */
async function setStatus(
  { prisma, transaction }: Pick<Database, 'prisma' | 'transaction'>,
  { companyId, documentId: id, fileId }: OfDocument,
  processingStatus: 'PROCESSING' | 'PROCESSED' | 'FAILED',
  processingError: string | null = null,
): Promise<boolean> {
  const where: Prisma.DocumentWhereInput = {
    ...{ companyId, id, fileId },
    processingStatus: { in: ['PENDING', 'PROCESSING'] },
  };
  const data = { processingStatus, processingError };
  const { count } = await runAs({ kind: 'clock' }, () =>
    transaction(() => prisma.document.updateMany({ where, data })),
  );
  return count > 0;
}

/** Stores the text of a file, some parts at a time, in place of the one that an earlier attempt may have stored. */
async function storeText(
  { prisma }: Pick<Database, 'prisma'>,
  { companyId, fileId }: OfDocument,
  parts: AsyncIterable<TextPart>,
): Promise<void> {
  let [waiting, last]: [TextPart[], number] = [[], 0];
  const store = async () => {
    if (waiting.length === 0) return;
    await prisma.$executeRaw`
      INSERT INTO file_pages (company_id, file_id, part, page, text, terms)
      SELECT files.company_id, files.id, ${last}::int + place, page, content, page_terms(files.company_id, content)
      FROM files, unnest(${waiting.map(({ page }) => page)}::int[], ${waiting.map(({ text }) => text)}::text[])
        WITH ORDINALITY AS given (page, content, place)
      WHERE files.company_id = ${companyId}::uuid AND files.id = ${fileId}::uuid
      ON CONFLICT (company_id, file_id, part)
      DO UPDATE SET page = excluded.page, text = excluded.text, terms = excluded.terms`;
    last += waiting.length;
    waiting = [];
  };
  for await (const part of parts) {
    waiting.push(part);
    if (waiting.length === partsAtOnce) await store();
  }
  await store();
  await prisma.filePage.deleteMany({ where: { companyId, fileId, part: { gt: last } } });
}

/** How many parts are read again at once for another language. */
const reindexedAtOnce = 200;

/** How far the parts of a company are read again: the last one that was. */
interface Reindexed {
  readonly fileId: string;
  readonly part: number;
}

/** Finds the words of all texts of a company again, after it has got another language. */
export const indexTexts = defineJob<Record<string, never>>({
  kind: 'index-texts',
  pauses: [60, 600, 3600],
  async run(_, { companyId, database: { prisma, transaction }, progress, setProgress, signal }) {
    // What an earlier attempt has stored.
    let last = progress as Reindexed | null;
    for (;;) {
      signal.throwIfAborted();
      const after = last ? Prisma.sql`AND (file_id, part) > (${last.fileId}::uuid, ${last.part}::int)` : Prisma.empty;
      const end = await transaction(async () => {
        const [found] = await prisma.$queryRaw<Reindexed[]>`
          WITH batch AS (
            SELECT file_id, part FROM file_pages WHERE company_id = ${companyId}::uuid ${after}
            ORDER BY file_id, part LIMIT ${reindexedAtOnce}
          ), changed AS (
            UPDATE file_pages SET terms = page_terms(company_id, text) FROM batch
            WHERE company_id = ${companyId}::uuid AND file_pages.file_id = batch.file_id AND file_pages.part = batch.part
          )
          SELECT file_id::text AS "fileId", part FROM batch ORDER BY batch.file_id DESC, part DESC LIMIT 1`;
        if (found) await setProgress({ ...found });
        return found;
      });
      if (!end) return;
      last = end;
    }
  },
});
