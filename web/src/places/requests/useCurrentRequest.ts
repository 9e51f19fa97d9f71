import { type RefObject, useEffect, useRef } from 'react';

/** The links of the requests of the page, in their order. */
const linksIn = (root: RefObject<HTMLElement | null>) => [
  ...(root.current?.querySelectorAll<HTMLElement>('[data-request]') ?? []),
];

/** The item of a request that has the focus. */
const indexOfFocus = (links: readonly HTMLElement[]) =>
  links.findIndex((link) => link.closest('li')?.contains(document.activeElement));

/**
 * Moves the focus over requests. When the one that has it disappears, the next one gets it.
 *
 * @param ids of the requests that are shown
 */
export function useCurrentRequest(ids: string) {
  const root = useRef<HTMLDivElement>(null);
  const last = useRef(-1);
  useEffect(() => {
    if (last.current < 0 || (document.activeElement && document.activeElement !== document.body)) return;
    const links = linksIn(root);
    links[Math.min(last.current, links.length - 1)]?.focus();
  }, [ids]);
  const note = () => {
    const index = indexOfFocus(linksIn(root));
    if (index >= 0) last.current = index;
  };
  const move = (by: number) => {
    const links = linksIn(root);
    const at = indexOfFocus(links);
    links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  /** The id of the request that keys are about: the one with the focus, else the first. */
  const current = (): string | undefined => {
    const links = linksIn(root);
    const link = links[Math.max(indexOfFocus(links), 0)];
    link?.focus();
    return link?.dataset['request'];
  };
  return { root, note, move, current };
}
