import type { Database } from './database.ts';

/**
 * Has the embedded database load what searches of texts need, its dictionaries above all, for the languages of its
 * companies. The first search would wait for it; the connections of a server load it sooner than that is noticed.
 */
export async function warmTextSearch({ kind, query }: Pick<Database, 'kind' | 'query'>): Promise<void> {
  if (kind !== 'embedded') return;
  const text = `SELECT page_snippet(id, 'word', page_query(id, 'word')), page_terms(id, 'word') @@ page_query(id, 'word')
    FROM (SELECT DISTINCT ON (search_language) id FROM companies ORDER BY search_language) AS ones`;
  await query({ text });
}
