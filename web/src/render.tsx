import { DirectionProvider, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { Fragment, type ReactNode, StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client.ts';
import { onReaderChange, readerVersion } from './texts/texts.ts';
import { cssVariablesResolver, theme } from './theme.ts';

declare global {
  interface Window {
    /** Libraries that add style elements look here for a nonce. */
    __webpack_nonce__?: string;
  }
}

/** Shows a page with what all pages use. */
export function render(page: ReactNode): void {
  // This response's nonce, which src/pages inserts; only scripts can read it.
  const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
  window.__webpack_nonce__ = nonce;
  createRoot(document.querySelector('#root') ?? document.body).render(
    <StrictMode>
      <DirectionProvider>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariablesResolver}
          defaultColorScheme="auto"
          getStyleNonce={() => nonce}
        >
          <QueryClientProvider client={queryClient}>
            <ForReader>{page}</ForReader>
          </QueryClientProvider>
        </MantineProvider>
      </DirectionProvider>
    </StrictMode>,
  );
}

/** Shows its children anew when the reader's language or time zone changes. */
function ForReader({ children }: { readonly children: ReactNode }) {
  const version = useSyncExternalStore(onReaderChange, readerVersion);
  return <Fragment key={version}>{children}</Fragment>;
}
