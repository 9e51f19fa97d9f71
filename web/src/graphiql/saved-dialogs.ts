// The dialogs that save, list, change and delete queries.

import { getMeta } from '../api/meta.ts';
import { deleteSavedQuery, listSavedQueries, type SavedQuery, saveQuery } from '../api/saved-queries.ts';
import { t } from '../texts/graphiql.ts';
import { activeTab } from './download.ts';
import { actionButton, closeButton, element, openDialog, type ShowMessage } from './elements.ts';
import { addressOf, openedId } from './saved.ts';

/** Asks for the name of a query and who sees it. @param save is called with them, and throws what to show */
function askDetails(
  heading: string,
  { name, isShared }: Pick<SavedQuery, 'name' | 'isShared'>,
  actions: Readonly<Record<string, (details: Pick<SavedQuery, 'name' | 'isShared'>) => Promise<void>>>,
): void {
  const message = element('p', { role: 'alert' });
  const nameField = element('input', { value: name, required: true });
  // Without it, the service says what is too long.
  void getMeta().then(
    (meta) =>
      (nameField.maxLength = meta.action('saveQuery').input.find(({ name }) => name === 'name')?.maxLength ?? -1),
    () => undefined,
  );
  const sharedField = element('input', { type: 'checkbox', checked: isShared });
  const buttons = Object.entries(actions).map(([label, act]) =>
    actionButton(
      label,
      (text) => (message.textContent = text),
      async () => {
        await act({ name: nameField.value, isShared: sharedField.checked });
        dialog.close();
      },
    ),
  );
  const dialog = openDialog(
    heading,
    element('label', {}, t('questionItAnswers'), nameField),
    element('label', {}, sharedField, t('shareItWithEveryoneInThe')),
    message,
    element('div', {}, ...buttons, closeButton(t('cancel'))),
  );
}

/** Creates a button that saves the shown query, and then shows its URL. */
export const saveButton = (showMessage: ShowMessage) =>
  actionButton(t('saveQuery'), showMessage, async () => {
    const { query, variables } = await activeTab();
    const shown = { query: query ?? '', variables: variables ?? null };
    const id = openedId();
    const opened = id === null ? undefined : (await listSavedQueries()).find((one) => one.id === id && one.isMine);
    const [, operation = ''] = /(?:query|mutation)\s+(\w+)/.exec(shown.query) ?? [];
    const save = (id?: string) => async (details: Pick<SavedQuery, 'name' | 'isShared'>) => {
      const saved = await saveQuery({ ...shown, ...details }, id);
      history.replaceState(null, '', addressOf(saved.id));
      showMessage(t('savedTheURLOfThisPage'));
    };
    askDetails(t('saveQuery'), opened ?? { name: operation, isShared: false }, {
      ...(opened && { [t('changeName', { name: opened.name })]: save(opened.id) }),
      [opened ? t('saveAsNew') : t('save')]: save(),
    });
  });

/** Creates a button that lists the saved queries, to open, change and delete them. */
export const listButton = (showMessage: ShowMessage) =>
  actionButton(t('savedQueries'), showMessage, async () => {
    const message = element('p', { role: 'alert' });
    const list = element('ul');
    const showInDialog = (text: string) => (message.textContent = text);
    let reads = 0;
    const refresh = async () => {
      const read = (reads += 1);
      const saved = await listSavedQueries();
      if (read !== reads) return;
      list.replaceChildren(...saved.map((one) => itemOf(one, showInDialog, refresh)));
      if (saved.length === 0) list.append(element('li', { textContent: t('noSavedQueriesYet') }));
    };
    await refresh();
    openDialog(t('savedQueries'), list, message, element('div', {}, closeButton(t('close'))));
  });

/** A saved query in the list, with what its owner can do. */
function itemOf(saved: SavedQuery, showMessage: ShowMessage, refresh: () => Promise<void>): HTMLLIElement {
  const { id, name, query, variables, isMine, isShared, savedBy } = saved;
  const seen = isMine ? (isShared ? t('sharedWithTheCompany') : t('onlyYou')) : t('sharedBySavedBy', { savedBy });
  const item = element('li', {}, element('a', { href: addressOf(id), textContent: name }), ` (${seen}) `);
  if (!isMine) return item;
  const edit = async () =>
    askDetails(t('editName', { name }), saved, {
      Save: async (details) => {
        await saveQuery({ query, variables, ...details }, id);
        await refresh();
      },
    });
  const remove = async () => {
    if (!confirm(t(isShared ? 'confirmDeleteShared' : 'confirmDelete', { name }))) return;
    await deleteSavedQuery(id);
    await refresh();
  };
  item.append(
    actionButton(t('edit'), showMessage, edit, t('editName2', { name })),
    actionButton(t('delete'), showMessage, remove, t('deleteName', { name })),
  );
  return item;
}
