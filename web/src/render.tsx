import { DirectionProvider, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { Fragment, type ReactNode, StrictMode, useSyncExternalStore } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { queryClient } from './app/query-client.ts';
import { language, onReaderChange, readerVersion } from './texts/texts.ts';
import { cssVariablesResolver, theme } from './theme.ts';

declare global {
  interface Window {
    /** Libraries that add style elements look here for a nonce. */
    __webpack_nonce__?: string;
  }
}

/** Shows a page with what all pages use. A document that has the page already is made alive, with what was typed. */
export function render(page: ReactNode): void {
  // This response's nonce, which src/pages inserts; only scripts can read it.
  const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
  window.__webpack_nonce__ = nonce;
  const root = document.querySelector<HTMLElement>('#root') ?? document.body;
  const whole = <Whole nonce={nonce}>{page}</Whole>;
  if (root.dataset['language'] !== language()) return createRoot(root).render(whole);
  styleFirstPage(root);
  hydrateRoot(root, whole);
}

/** Gives the elements of the document the styles that React takes for granted (web/prerender.ts). */
function styleFirstPage(root: HTMLElement): void {
  const styles = document.querySelector<HTMLStyleElement>('#first-styles');
  const rules = [...(styles?.sheet?.cssRules ?? [])];
  for (const element of root.querySelectorAll<HTMLElement>('[data-style]')) {
    const rule = rules[Number(element.dataset['style'])];
    if (rule instanceof CSSStyleRule) element.style.cssText = rule.style.cssText;
    delete element.dataset['style'];
  }
  styles?.remove();
}

/** A page with what all pages use. @param nonce of the style elements that Mantine adds */
export function Whole({ nonce, children }: { readonly nonce: string; readonly children: ReactNode }) {
  return (
    <StrictMode>
      <DirectionProvider>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariablesResolver}
          defaultColorScheme="auto"
          getStyleNonce={() => nonce}
        >
          <QueryClientProvider client={queryClient}>
            <ForReader>{children}</ForReader>
          </QueryClientProvider>
        </MantineProvider>
      </DirectionProvider>
    </StrictMode>
  );
}

/** Shows its children anew when the reader's language or time zone changes. */
function ForReader({ children }: { readonly children: ReactNode }) {
  const version = useSyncExternalStore(onReaderChange, readerVersion, readerVersion);
  return <Fragment key={version}>{children}</Fragment>;
}
