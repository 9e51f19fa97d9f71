// What people do on a page that is in its document already, before the scripts that hear of it are there.

/** The button that was pressed last. */
let pressed: HTMLElement | undefined;
/** What was chosen in lists of options. */
const chosen = new Map<HTMLSelectElement, string>();

/** Whether the scripts hear of everything themselves. */
let isAwake = false;

/** Whether the scripts cannot be reached, or are another release's: the browser shows which when it loads the page. */
let hasFailed = false;

/** What somebody does who begins to use a page. */
const uses = ['keydown', 'input', 'focusin', 'pointerdown'];

/**
 * Loads the scripts of a page once somebody uses it, and keeps what the page would not hear of until then.
 *
 * @param load loads them, and shows the page
 * @param isUsed whether they are needed at once
 */
export function wakeOnUse(load: () => Promise<unknown>, isUsed: boolean): void {
  const wake = () => {
    for (const use of uses) removeEventListener(use, wake, true);
    load().catch(() => {
      hasFailed = true;
      if (pressed) location.reload();
    });
  };
  for (const use of uses) addEventListener(use, wake, true);
  addEventListener('click', keepPress, true);
  addEventListener('change', keepChoice, true);
  whenParsed(() => {
    for (const button of document.querySelectorAll<HTMLButtonElement>('[data-early]')) {
      button.disabled = false;
      delete button.dataset['early'];
    }
    // Somebody was faster.
    if (isUsed || document.activeElement instanceof HTMLInputElement) wake();
  });
}

function whenParsed(then: () => void): void {
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', then, { once: true });
  else then();
}

/** A field's Enter key presses a button as well. */
function keepPress(event: Event): void {
  const button = event.target instanceof Element ? event.target.closest('button') : null;
  if (isAwake || !button) return;
  event.preventDefault();
  pressed = button;
  if (hasFailed) location.reload();
}

function keepChoice({ target }: Event): void {
  if (!isAwake && target instanceof HTMLSelectElement) chosen.set(target, target.value);
}

/** Does what was done before the page's scripts were there. The page calls it once it hears of everything. */
export function replayEarlyUse(): void {
  if (isAwake) return;
  isAwake = true;
  for (const [list, value] of chosen) {
    list.value = value;
    list.dispatchEvent(new Event('change', { bubbles: true }));
  }
  pressed?.click();
}
