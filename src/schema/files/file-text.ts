import type { Context } from '../../context.ts';
import type { SearchedContent, SearchMatch } from '../../resource/index.ts';

/** The most characters of a part of a text that words are looked for in, to be shown. */
const shownFrom = 20_000;

/** The text of the files of documents, as a search reads it. */
export const fileText: SearchedContent = {
  words: 'the text of their files',
  where: (search) => ({ fileId: { hasText: search } }),
  find: (search, ids, { unscopedDb, caller: { companyId } }: Context) =>
    unscopedDb.$queryRaw<SearchMatch[]>`
      SELECT documents.id::text, found.page, page_snippet(${companyId}::uuid, left(found.text, ${shownFrom}), query) AS text
      FROM page_query(${companyId}::uuid, ${search}) AS query, documents CROSS JOIN LATERAL (
        SELECT page, text FROM file_pages
        WHERE company_id = ${companyId}::uuid AND file_id = documents.file_id AND terms @@ query ORDER BY part LIMIT 1
      ) AS found
      WHERE documents.company_id = ${companyId}::uuid AND documents.id = ANY(${ids}::uuid[])`,
};
