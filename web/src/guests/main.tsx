// The pages that need no session. Each is a document for the browser, so they have no router.

import '../styles.css';
import type { ComponentType } from 'react';
import { guestPages } from '../../../src/pages/addresses.ts';
import { render } from '../render.tsx';
import { setReader, withTexts } from '../texts/texts.ts';

const files = import.meta.glob<{ readonly default: ComponentType }>('./*.tsx');

/** Whether an address is that of a page, of which a part that begins with a colon varies. */
function isAt(address: string): boolean {
  const given = location.pathname.split('/');
  const known = address.split('/');
  return (
    known.length === given.length && known.every((part, n) => part === given[n] || (part.startsWith(':') && given[n]))
  );
}

// The service sends this document at these addresses alone.
const [name] = Object.entries(guestPages).find(([, addresses]) => addresses.some(isAt)) ?? ['Home'];
const load = files[`./${name}.tsx`];
if (!load) throw new Error(`There is no page ${name}.`);

// Nobody is signed in, or nobody knows: these pages are in the browser's language.
await setReader(null);
// Waiting for it takes no longer, as it comes with the document; and React would drop what the document shows already.
const { default: Page } = await withTexts(load());
render(<Page />);
