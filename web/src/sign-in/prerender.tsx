// Written into the document while the pages are built: the form to sign in is there before its scripts.
import { renderToString } from 'react-dom/server';
import { queryClient } from '../app/query-client.ts';
import { passwordLinksQuery } from '../app/session.ts';
import { pageTitle } from '../components/usePageTitle.ts';
import SignIn from '../guests/SignIn.tsx';
import { Whole } from '../render.tsx';
import { t } from '../texts/sign-in.ts';
import { type Language, loadTexts, setTag } from '../texts/texts.ts';

/**
 * The page for signing in, as its script shows it at first.
 *
 * @param emailsLinks whether the service emails links that set a forgotten password
 * @returns its title, and its HTML
 */
export async function signInPage(language: Language, emailsLinks: boolean): Promise<{ title: string; html: string }> {
  await loadTexts(language);
  setTag(language);
  queryClient.setQueryData(passwordLinksQuery.queryKey, emailsLinks);
  const html = renderToString(
    // The service replaces this by the nonce of each response.
    <Whole nonce="__nonce__">
      <SignIn />
    </Whole>,
  );
  return { title: pageTitle(t('signIn')), html };
}
