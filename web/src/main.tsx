import '@mantine/core/styles.css';
import './premises.css';
import { Center, Loader, MantineProvider } from '@mantine/core';
import { type ComponentType, lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { readable, theme } from './theme.ts';

declare global {
  interface Window {
    /** Where libraries that write styles look for a nonce. */
    __webpack_nonce__?: string;
  }
}

/** The service has put it there (src/web); the browser shows it to scripts only. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
window.__webpack_nonce__ = nonce;

const pages: [path: RegExp, page: ComponentType][] = [
  [/^\/sign-in$/, lazy(() => import('./pages/SignIn.tsx'))],
  [/^\/account$/, lazy(() => import('./pages/Account.tsx'))],
  [/^\/dashboard$/, lazy(() => import('./pages/Dashboard.tsx'))],
  [/^\/ai-usage$/, lazy(() => import('./pages/AiUsage.tsx'))],
  [/^\/packages$/, lazy(() => import('./pages/Packages.tsx'))],
  [/^\/packages\/[^/]+$/, lazy(() => import('./pages/PackageStatus.tsx'))],
];

const path = location.pathname.replace(/\/$/, '');
const Page = pages.find(([pattern]) => pattern.test(path))?.[1] ?? lazy(() => import('./pages/Nowhere.tsx'));

createRoot(document.querySelector('#root') ?? document.body).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readable}
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
