// Asks for what a page of a company needs of the API while the scripts of the page are still loading.
import {
  CollectionsDocument,
  type CollectionsQuery,
  DefinitionDocument,
  type DefinitionQuery,
  MetaDocument,
  type MetaQuery,
} from './api/generated/graphql.ts';
import { mutations } from './api/mutations.ts';
import { pageData, startFirstRequest } from './app/first-requests.ts';
import { listQuery } from './console/list-query.ts';
import type { RowPage } from './console/rows.ts';

/** For how long (ms) people wait for a list before they see its rows without the page. */
const patienceMs = 2500;

const { session, type } = pageData;
const company = session?.company;
if (company && `${location.pathname}/`.startsWith(`/c/${company.slug}/`)) {
  const collections = startFirstRequest(CollectionsDocument.toString(), {}, company.id);
  const definition = type && startFirstRequest(DefinitionDocument.toString(), { types: [type] }, company.id);
  const meta = startFirstRequest(MetaDocument.toString(), { mutations: [...mutations] }, company.id);
  // A list as the resource has it; what an address says about one is for the page to read.
  if (definition && /^\/c\/[^/]+\/[^/]+$/.test(location.pathname) && location.search === '')
    await startList(company.id, { collections, definition, meta });
}

/** The texts of responses, undefined where the page asks itself. */
type Response = Promise<string | undefined>;

/** Asks for the first rows of a list, and shows them if the page takes long. @param given what describes the list */
async function startList(companyId: string, given: Record<'collections' | 'definition' | 'meta', Response>) {
  const collections = dataOf<CollectionsQuery>(await given.collections);
  const definition = dataOf<DefinitionQuery>(await given.definition);
  const [own] = definition?.resources ?? [];
  if (!collections?.resources || !definition || !own) return;
  const targets = new Map(collections.resources.map((each) => [each.type, each]));
  const { query, variables } = listQuery(own, {}, targets, 0);
  const answer = startFirstRequest(query, variables, companyId);
  if (performance.now() < patienceMs)
    await new Promise((resolve) => setTimeout(resolve, patienceMs - performance.now()));
  if (document.querySelector('#root')?.childElementCount !== 0) return;
  const { showEarlyList } = await import('./console/early-list.ts');
  const rows = dataOf<{ rows: RowPage }>(await answer)?.rows;
  const meta = dataOf<MetaQuery>(await given.meta);
  if (rows && rows.nodes.length > 0 && meta)
    await showEarlyList({ collections, definition, meta, rows }, location.pathname);
}

/** What a response says; undefined if there is none, or a part of it failed. */
function dataOf<Data>(text: string | undefined): Data | undefined {
  // The page's own query has asked for it.
  const { data, errors } = text === undefined ? {} : (JSON.parse(text) as { data?: Data; errors?: unknown });
  return errors === undefined ? data : undefined;
}
