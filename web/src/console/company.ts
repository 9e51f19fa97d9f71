import { useSuspenseQuery } from '@tanstack/react-query';
import type { ActiveCompany, Session } from '../api/auth.ts';
import { sessionQuery } from '../app/session.ts';

/** The session of who is signed in, with the company that the address of the page names. */
export function usePageSession(): Session & { readonly company: ActiveCompany } {
  const { data } = useSuspenseQuery(sessionQuery);
  if (!data?.company) throw new Error('Only pages of a company know one.');
  return { ...data, company: data.company };
}

/** The company that the address of the page names. */
export const useCompany = (): ActiveCompany => usePageSession().company;
