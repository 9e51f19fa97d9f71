// Asks for what a page of a company needs of the API while the scripts of the page are still loading.
import { CollectionsDocument, DefinitionDocument, MetaDocument } from './api/generated/graphql.ts';
import { mutations } from './api/mutations.ts';
import { pageData, startFirstRequest } from './app/first-requests.ts';

const { session, type } = pageData;
if (session?.company && location.pathname.startsWith('/c/')) {
  startFirstRequest(MetaDocument.toString(), { mutations: [...mutations] }, session.company.id);
  startFirstRequest(CollectionsDocument.toString(), {}, session.company.id);
  if (type) startFirstRequest(DefinitionDocument.toString(), { types: [type] }, session.company.id);
}
