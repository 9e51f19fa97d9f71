// Written into the document while the pages are built: the form to sign in is there before its scripts.
import { Suspense } from 'react';
import { renderToString } from 'react-dom/server';
import SignIn from '../guests/SignIn.tsx';
import { Whole } from '../render.tsx';
import { type Language, loadTexts, setTag } from '../texts/texts.ts';

/** The HTML of the page for signing in, as its script shows it at first. */
export async function signInPage(language: Language): Promise<string> {
  await loadTexts(language);
  setTag(language);
  return renderToString(
    // The service replaces this by the nonce of each response.
    <Whole nonce="__nonce__">
      <Suspense>
        <SignIn />
      </Suspense>
    </Whole>,
  );
}
