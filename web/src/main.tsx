import '@mantine/core/styles.css';
import './global.css';
import { Center, Loader, MantineProvider } from '@mantine/core';
import { type ComponentType, lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { pages } from '../../src/pages/addresses.ts';
import { cssVariablesResolver, theme } from './theme.ts';

declare global {
  interface Window {
    /** Libraries that add style elements look here for a nonce. */
    __webpack_nonce__?: string;
  }
}

/** This response's nonce, which src/pages inserts; only scripts can read it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
window.__webpack_nonce__ = nonce;

const files = import.meta.glob<{ readonly default: ComponentType }>('./pages/*.tsx');
const path = location.pathname.replace(/(?<=.)\/$/, '');
const isHere = (address: string) => new RegExp(`^${address.replace(/:\w+/g, '[^/]+')}$`).test(path);
const name = Object.entries(pages).find(([, addresses]) => addresses.some(isHere))?.[0] ?? 'NotFound';
const load = files[`./pages/${name}.tsx`];
if (!load) throw new Error(`There is no page ${name}.`);
const Page = lazy(load);

createRoot(document.querySelector('#root') ?? document.body).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Suspense
        fallback={
          <Center h="60vh">
            <Loader aria-label="Loading" />
          </Center>
        }
      >
        <Page />
      </Suspense>
    </MantineProvider>
  </StrictMode>,
);
