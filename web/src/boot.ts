// Asks for what a page of a company needs of the API while the scripts of the page are still loading.
import {
  CollectionsDocument,
  type CollectionsQuery,
  DefinitionDocument,
  type DefinitionQuery,
  MetaDocument,
} from './api/generated/graphql.ts';
import { mutations } from './api/mutations.ts';
import { pageData, startFirstRequest } from './app/first-requests.ts';
import { listQuery } from './console/list-query.ts';

const { session, type } = pageData;
const companyId = session?.company?.id;
if (companyId && location.pathname.startsWith('/c/')) {
  const collections = startFirstRequest(CollectionsDocument.toString(), {}, companyId);
  const definition = type && startFirstRequest(DefinitionDocument.toString(), { types: [type] }, companyId);
  void startFirstRequest(MetaDocument.toString(), { mutations: [...mutations] }, companyId);
  // A list as the resource has it; what an address says about one is for the page to read.
  if (definition && /^\/c\/[^/]+\/[^/]+$/.test(location.pathname) && location.search === '')
    startRows(await collections, await definition, companyId);
}

/** Asks for the first rows of a list. @param texts of the responses that describe it */
function startRows(collections: string | undefined, definition: string | undefined, company: string) {
  const all = resourcesIn<NonNullable<CollectionsQuery['resources']>>(collections);
  const [own] = resourcesIn<NonNullable<DefinitionQuery['resources']>>(definition) ?? [];
  if (!all || !own) return;
  const { query, variables } = listQuery(own, {}, new Map(all.map((each) => [each.type, each])), 0);
  void startFirstRequest(query, variables, company);
}

/** What a response says about resources; undefined if there is none, as the page then asks itself. */
function resourcesIn<Resources>(text: string | undefined): Resources | undefined {
  // The page's own query has asked for it.
  return text === undefined ? undefined : (JSON.parse(text) as { data?: { resources?: Resources } }).data?.resources;
}
