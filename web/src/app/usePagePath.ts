import { useMatch } from '@tanstack/react-router';

/** The path of the page that calls it, which stays while the next page is still loading at its own address. */
export const usePagePath = (): string => useMatch({ strict: false, select: ({ pathname }) => pathname });
