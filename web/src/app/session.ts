import { queryOptions } from '@tanstack/react-query';
import { emailsPasswordLinks, getSession, listProviders } from '../api/auth.ts';
import { setCompany } from '../api/http.ts';
import { setReader } from '../texts/texts.ts';
import { pageData } from './first-requests.ts';

setCompany(pageData.session?.company?.id);

/**
 * The session of the person, null without one. It comes with the document, or is read once: a change in another tab
 * loads the page again, and until then what this page sends names the company that it shows.
 */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => {
    const session = await getSession();
    setCompany(session?.company?.id);
    if (session) await setReader(session.person);
    return session;
  },
  initialData: pageData.session,
  staleTime: Infinity,
});

/** The providers that people sign in with. They change with the configuration of the service alone. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: listProviders,
  initialData: pageData.signIn?.hasProviders === false ? [] : undefined,
  staleTime: Infinity,
});

/** Whether the service emails links that set a password. */
export const passwordLinksQuery = queryOptions({
  queryKey: ['password-links'],
  queryFn: emailsPasswordLinks,
  initialData: pageData.signIn?.emailsLinks,
  staleTime: Infinity,
});
