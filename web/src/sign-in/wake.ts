// The script of the document that has the form for signing in already: the form's own scripts come with its first use.
import { pageData } from '../app/first-requests.ts';
import { wakeOnUse } from './early.ts';

wakeOnUse(
  () => Promise.all([import('../guests/main.tsx'), import('../guests/SignIn.tsx')]),
  // The buttons of providers are not in the document.
  pageData.signIn?.hasProviders !== false,
);
