import { useDocumentTitle } from '@mantine/hooks';

/** The title of the browser's tab. */
export const pageTitle = (title: string): string => `${title} · Premises`;

/** Sets the title of the browser's tab. */
export const usePageTitle = (title: string): void => useDocumentTitle(pageTitle(title));
