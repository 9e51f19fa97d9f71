/**
 * Moves the focus to an element after a response, unless somebody has gone on to another element meanwhile.
 *
 * @param left what the focus leaves, such as a form that is removed
 */
export function moveFocus(target: HTMLElement | null, left?: Element | null): void {
  const focused = document.activeElement;
  // Browsers take the focus from disabled and removed elements, some of them later.
  const isLost = focused === null || focused === document.body || focused.matches(':disabled');
  if (isLost || left?.contains(focused)) target?.focus();
}
