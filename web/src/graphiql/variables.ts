import type { Tab } from './download.ts';

/** Whether an operation of a tab takes variables. */
export const takesVariables = ({ query }: Tab): boolean =>
  /\b(?:query|mutation|subscription)\b[^{(]*\(\s*\$/.test((query ?? '').replaceAll(/#.*/g, ''));

/** Shows the variables of a tab that takes some, in place of the headers. */
export function showVariables(tab: Tab): void {
  if (!takesVariables(tab)) return;
  const button = document.querySelector<HTMLButtonElement>('.graphiql-editor-tools button[data-name=variables]');
  if (button && !button.classList.contains('active')) button.click();
}
