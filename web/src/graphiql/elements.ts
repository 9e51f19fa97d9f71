// The parts of the page around GraphiQL, which is no application of React's.

import { ApiError } from '../api/http.ts';
import { t } from '../texts/graphiql.ts';

/** Shows a message. */
export type ShowMessage = (message: string) => void;

/** Creates an element. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
};

/** The message of an error; of invalid fields, what is wrong with the first. */
function explain(error: unknown): string {
  if (error instanceof ApiError && error.code === 'INVALID_TOKEN') return t('signInToKeepQueriesAnd');
  const [detail] = error instanceof ApiError ? Object.values(error.details) : [];
  return detail ?? (error instanceof Error ? error.message : String(error));
}

/** A button that acts, is disabled meanwhile, and shows what fails. */
export function actionButton(label: string, showMessage: ShowMessage, act: () => Promise<void>, description = label) {
  const button = element('button', { type: 'button', textContent: label, ariaLabel: description });
  button.addEventListener('click', () => {
    button.disabled = true;
    showMessage('');
    void act()
      .catch((error: unknown) => showMessage(explain(error)))
      .finally(() => (button.disabled = false));
  });
  return button;
}

/** Opens a dialog with a heading, which is removed once it is closed. */
export function openDialog(heading: string, ...content: (Node | string)[]): HTMLDialogElement {
  const dialog = element('dialog', { className: 'premises-dialog', ariaLabel: heading });
  dialog.append(element('h2', { textContent: heading }), ...content);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Creates a button that closes the dialog around it. */
export function closeButton(label: string) {
  const button = element('button', { type: 'button', textContent: label });
  button.addEventListener('click', () => button.closest('dialog')?.close());
  return button;
}
