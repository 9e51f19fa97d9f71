// What the keyboard alone reaches on a page, and how it shows where it is.
import type { Locator, Page } from 'playwright-core';

/** A walk over a page by Tab, as the scripts of the page see it. */
interface Walk {
  /** Judges the element that has the focus now. @returns whether the walk is over */
  step(): boolean;
  /** What was wrong on the way, and what was not reached. */
  end(): string[];
}

/** How often Tab is pressed at most: more than any page of the test has stops. */
const maxStops = 600;

/** Has the scripts of a page remember which elements listen to clicks. Call it before the page is opened. */
export const watchListeners = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const listening = new WeakSet<EventTarget>();
    Object.assign(globalThis, { listening });
    const add = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (this: EventTarget, ...given: Parameters<typeof add>) {
      if (given[0] === 'click') listening.add(this ?? globalThis);
      return add.apply(this ?? globalThis, given);
    };
  });

/**
 * Presses Tab from the start of a page to its end.
 * @returns what is wrong: what Tab does not reach or does not leave, and what has the focus without showing it
 */
export async function findKeyboardProblems(page: Page): Promise<string[]> {
  await page.evaluate(startWalk);
  for (let stop = 0; stop < maxStops; stop++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => (globalThis as unknown as { walk: Walk }).walk.step()))
      return page.evaluate(() => (globalThis as unknown as { walk: Walk }).walk.end());
  }
  const focused = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
  return [`does not end after ${maxStops} stops, at ${focused}`];
}

/** Begins a walk before the first element of the page. It runs in the page. */
function startWalk(): void {
  const interactive = `a[href], area[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable],
    iframe, [tabindex]:not([tabindex="-1"]), [role=button], [role=link], [role=tab], [role=checkbox], [role=radio],
    [role=switch], [role=combobox], [role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], [role=slider]`;
  /** In these one element takes the focus for all; arrow keys move between them. */
  const groups =
    '[role=tablist], [role=radiogroup], [role=toolbar], [role=menu], [role=menubar], [role=grid], [role=tree]';

  const isShown = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    return (
      width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert]')
    );
  };
  const describe = (element: Element) => {
    const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
    return `${(element.cloneNode() as Element).outerHTML.slice(0, 160)} “${text}”`;
  };
  const labelsOf = (element: Element) => [...((element as HTMLInputElement).labels ?? [])];

  /** How the edges of an element look. */
  const edges = (element: Element, pseudo?: string) => {
    const style = getComputedStyle(element, pseudo);
    const hasOutline = style.outlineStyle !== 'none' && style.outlineWidth !== '0px';
    const outline = hasOutline ? `${style.outlineStyle} ${style.outlineWidth} ${style.outlineColor}` : '';
    const border = `${style.borderTopWidth} ${style.borderTopColor} ${style.borderLeftWidth} ${style.borderLeftColor}`;
    return `${outline}; ${style.boxShadow}; ${border}`;
  };
  /** What can show that an element has the focus: itself, what it is in, or what is drawn in place of a hidden box. */
  const looks = (element: Element) => {
    const [parent, field] = [element.parentElement, element.closest('.mantine-Input-input')];
    // Borders change within 100 ms.
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
    return [element, parent, field, element.nextElementSibling, ...labelsOf(element)]
      .flatMap((each) => (each ? [edges(each), edges(each, '::before'), edges(each, '::after')] : []))
      .join(' | ');
  };

  /** Whether some point of an element is in the window, and nothing covers it there. */
  const isOnScreen = (element: Element) => {
    const boxes = [element, ...labelsOf(element)].flatMap((each) => [...each.getClientRects()]);
    return boxes.some(({ left, top, width, height }) =>
      [0.5, 0.1, 0.9].some((x) =>
        [0.5, 0.1, 0.9].some((y) => {
          const hit = document.elementFromPoint(left + width * x, top + height * y);
          if (!hit) return false;
          const around = element.parentElement ?? element;
          return (
            element.contains(hit) || around.contains(hit) || labelsOf(element).some((label) => label.contains(hit))
          );
        }),
      ),
    );
  };

  const before = document.createElement('button');
  const after = document.createElement('button');
  document.body.prepend(before);
  document.body.append(after);
  before.focus();
  const scrolled = () => scrollTo({ top: 0, behavior: 'instant' });
  scrolled();

  const isCandidate = (element: Element) =>
    element !== before && element !== after && !element.matches(':disabled') && isShown(element);
  const candidates = [...document.querySelectorAll(interactive)].filter(isCandidate);
  const unfocused = new Map(candidates.map((element) => [element, looks(element)]));
  const reached = new Set<Element>();
  const problems = new Set<string>();
  let last: Element = before;
  let sameStops = 0;

  const step = () => {
    const element = document.activeElement ?? document.body;
    if (element === after) return true;
    if (element === document.body) {
      problems.add(`loses the focus after ${describe(last)}`);
      return true;
    }
    // A date has a stop for each of its parts.
    sameStops = element === last ? sameStops + 1 : 0;
    if (sameStops > 6) {
      problems.add(`does not let the focus leave ${describe(element)}`);
      return true;
    }
    if (sameStops > 0) return false;
    if (element === before || reached.has(element)) {
      problems.add(`leads from ${describe(last)} back to ${describe(element)}`);
      return true;
    }
    last = element;
    reached.add(element);
    if (!isOnScreen(element)) problems.add(`has the focus out of sight: ${describe(element)}`);
    const looked = unfocused.get(element);
    if (looked !== undefined && looked === looks(element))
      problems.add(`does not show the focus: ${describe(element)}`);
    return false;
  };

  const isReached = (element: Element) => {
    if (reached.has(element)) return true;
    const group = element.closest(groups);
    if (group && [...reached].some((each) => group.contains(each))) return true;
    if (element instanceof HTMLInputElement && element.type === 'radio')
      return [...reached].some((each) => each instanceof HTMLInputElement && each.name === element.name);
    return false;
  };
  /** Whether an element is a part of one that is reached, or names it, or has it inside. */
  const belongsToReached = (element: Element) => {
    // The arrows of a number and the like are there for pointers; the keys of the field do the same.
    const field = element.closest('.mantine-Input-wrapper');
    const control = (element.closest('label') ?? element.querySelector('label'))?.control;
    return (
      [...reached].some((each) => each.contains(element) || element.contains(each) || field?.contains(each)) ||
      (control && isReached(control)) ||
      [...candidates].some((each) => each.contains(element) && isReached(each))
    );
  };
  const isDisabled = (element: Element) =>
    element.closest(':disabled, [aria-disabled=true], [data-disabled]') !== null ||
    element.closest('label')?.control?.matches(':disabled') === true;

  const { listening } = globalThis as unknown as { listening: WeakSet<EventTarget> };
  /** Whether a click on an element does something, as React or its own listener has it. */
  const takesClicks = (element: Element) => {
    const key = Object.keys(element).find((name) => name.startsWith('__reactProps$'));
    const props = key ? (element as unknown as Record<string, { onClick?: unknown } | undefined>)[key] : undefined;
    // React listens at the root for all.
    const isRoot = Object.keys(element).some((name) => name.startsWith('__reactContainer$'));
    return typeof props?.onClick === 'function' || (listening.has(element) && !isRoot && !key);
  };

  const end = () => {
    // Where the page has changed on the way, what is gone cannot be reached.
    for (const element of candidates)
      if (element.isConnected && isCandidate(element) && !isReached(element) && !belongsToField(element))
        problems.add(`is not reached: ${describe(element)}`);
    for (const element of document.body.querySelectorAll('*')) {
      // A chart tells its figures to a pointer; a table below it has them too.
      const isChart = element.closest('[aria-hidden=true] .recharts-wrapper') !== null;
      if (element === before || element === after || isChart || !isShown(element) || isDisabled(element)) continue;
      const isPointer = (each: Element | null) => each !== null && getComputedStyle(each).cursor === 'pointer';
      const looksClickable = isPointer(element) && !isPointer(element.parentElement);
      if ((looksClickable || takesClicks(element)) && !belongsToReached(element))
        problems.add(`is for pointers alone: ${describe(element)}`);
    }
    before.remove();
    after.remove();
    if (reached.size === 0) problems.add('has nothing to reach');
    return [...problems];
  };
  const belongsToField = (element: Element) =>
    element.matches('[tabindex="-1"]') &&
    element.closest('.mantine-Input-wrapper') !== null &&
    belongsToReached(element);

  Object.assign(globalThis, { walk: { step, end } });
}

/**
 * Opens what a button opens by Enter, and closes it by Escape.
 * @param button the button, which has the focus again at the end
 * @param opened what it opens, which has the focus inside meanwhile
 */
export async function openAndClose(page: Page, button: Locator, opened: Locator): Promise<void> {
  await button.focus();
  await page.keyboard.press('Enter');
  await opened.waitFor();
  await expectFocus(page, opened);
  await page.keyboard.press('Escape');
  await opened.waitFor({ state: 'hidden' });
  await expectFocus(page, button);
}

/** Waits until an element has the focus, or one inside. */
export async function expectFocus(page: Page, where: Locator): Promise<void> {
  const handle = await where.elementHandle();
  await page.waitForFunction((element) => element?.contains(document.activeElement), handle, { timeout: 5000 });
}
