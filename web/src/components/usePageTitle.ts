import { useDocumentTitle } from '@mantine/hooks';

/** Sets the title of the browser's tab. */
export const usePageTitle = (title: string): void => useDocumentTitle(`${title} · Premises`);
