import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { usePageSession } from '../console/company.ts';
import { showProblem } from '../console/notices.tsx';
import { t } from '../texts/taps.ts';
import type { Owner } from './forget.ts';
import type { TapName } from './operations.ts';
import { announceTaps, sendTaps } from './send.ts';
import { addTap, changeTap, listTaps, removeTap, type Tap, type Variables } from './store.ts';

/** How often (ms) taps that could not be sent are tried again. */
const againMs = 15_000;

/** Who taps on this page. */
export function useOwner(): Owner {
  const { person, company } = usePageSession();
  return { personId: person.id, companyId: company.id };
}

/** A new id. Browsers make ids by themselves on https alone. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'));
  // The digits of a random id's version and variant.
  hex[6] = `4${hex[6]?.slice(1)}`;
  hex[8] = (((bytes[8] ?? 0) & 0x3f) | 0x80).toString(16);
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The query of the taps that were not sent yet. */
const tapsQuery = (owner: Owner) => ({
  queryKey: ['taps', owner.personId, owner.companyId],
  queryFn: () => listTaps(owner),
  networkMode: 'always' as const,
  staleTime: Infinity,
});

/** The taps of this page's person that were not sent yet. They are sent as soon as that is possible. */
export function useTaps(): readonly Tap[] {
  const { personId, companyId } = useOwner();
  const { data: taps = [] } = useQuery(tapsQuery({ personId, companyId }));
  const isWaiting = taps.some(({ problem }) => problem === undefined);
  useEffect(() => {
    const send = () => void sendTaps({ personId, companyId }).catch(() => undefined);
    if (isWaiting) send();
    const timer = isWaiting ? setInterval(send, againMs) : undefined;
    window.addEventListener('online', send);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', send);
    };
  }, [isWaiting, personId, companyId]);
  return taps;
}

/** What can be done with taps. */
export interface TapActions {
  /** Keeps a tap, and sends it as soon as that is possible. */
  readonly tap: (name: TapName, row: string, label: string, variables: Variables, at: string) => Promise<void>;
  /** Sends a refused tap again, as it is or with other input. */
  readonly retry: (tap: Tap, input?: Variables['input']) => Promise<void>;
  readonly discard: (tap: Tap) => Promise<void>;
}

/** What can be done with the taps of this page's person. */
export function useTapActions(): TapActions {
  const owner = useOwner();
  const after = async (change: Promise<unknown>) => {
    try {
      await change;
    } catch (error) {
      // The browser has no room left, or keeps nothing in private windows.
      showProblem(t('couldntKeepItInThisBrowser'), error as Error);
    }
    announceTaps();
    void sendTaps(owner).catch(() => undefined);
  };
  return {
    tap: (name, row, label, variables, at) => after(addTap(owner, { key: newId(), at, name, row, label, variables })),
    retry: (tap, input) =>
      after(
        changeTap(owner, tap.order, ({ problem: _problem, failures: _failures, ...known }) => ({
          ...known,
          ...(input && { variables: { ...known.variables, input } }),
        })),
      ),
    discard: (tap) => after(removeTap(owner, tap.order)),
  };
}
