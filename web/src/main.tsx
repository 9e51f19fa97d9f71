import '@mantine/core/styles.css';
import './global.css';
import { Center, Loader, MantineProvider } from '@mantine/core';
import { type ComponentType, lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
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

const pages: [path: RegExp, page: ComponentType][] = [
  [/^$/, lazy(() => import('./pages/Home.tsx'))],
  [/^\/tutorials\/[^/]+$/, lazy(() => import('./pages/Tutorial.tsx'))],
  [/^\/docs$/, lazy(() => import('./pages/Docs.tsx'))],
  [/^\/sign-in$/, lazy(() => import('./pages/SignIn.tsx'))],
  [/^\/account$/, lazy(() => import('./pages/Account.tsx'))],
  [/^\/people$/, lazy(() => import('./pages/People.tsx'))],
  [/^\/company$/, lazy(() => import('./pages/CompanySettings.tsx'))],
  [/^\/security-log$/, lazy(() => import('./pages/SecurityLog.tsx'))],
  [/^\/webhooks$/, lazy(() => import('./pages/Webhooks.tsx'))],
  [/^\/notifications$/, lazy(() => import('./pages/Notifications.tsx'))],
  [/^\/unsubscribe$/, lazy(() => import('./pages/Unsubscribe.tsx'))],
  [/^\/invitation$/, lazy(() => import('./pages/Invitation.tsx'))],
  [/^\/dashboard$/, lazy(() => import('./pages/Dashboard.tsx'))],
  [/^\/ai-usage$/, lazy(() => import('./pages/AiUsage.tsx'))],
  [/^\/packages$/, lazy(() => import('./pages/RegisterDelivery.tsx'))],
  [/^\/packages\/[^/]+$/, lazy(() => import('./pages/PackageStatus.tsx'))],
];

const path = location.pathname.replace(/\/$/, '');
const Page = pages.find(([pattern]) => pattern.test(path))?.[1] ?? lazy(() => import('./pages/NotFound.tsx'));

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
