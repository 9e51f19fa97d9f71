import 'graphiql:style.css';
import './bar.css';
import editorWorker from 'graphiql:editorWorkerService';
import graphqlWorker from 'graphiql:graphqlWorker';
import library from 'graphiql:js';
import jsonWorker from 'graphiql:jsonWorker';
import { getSession } from '../api/auth.ts';
import { onSessionChange } from '../session.ts';
import { setReader } from '../texts/texts.ts';
import { showBar } from './bar.ts';
import { chartButton } from './chart.ts';
import { costButton } from './cost.ts';
import { defaultFieldNames } from './default-fields.ts';
import { activeTab, downloadButton, onTabChange, readFirstTab, type TabState } from './download.ts';
import { examplesButton } from './example-dialog.ts';
import { exampleTabs } from './examples.ts';
import { nameAdded } from './name-queries.ts';
import { explainMissing, findSavedQueries, openSaved, savedTabs } from './saved.ts';
import { listButton, saveButton } from './saved-dialogs.ts';
import { showVariables, takesVariables } from './variables.ts';

declare global {
  /** What the library defines. */
  var YogaGraphiQL: { renderYogaGraphiQL(element: Element | null, options: object): void };
}

const workers: Record<string, string> = { editorWorkerService: editorWorker, graphql: graphqlWorker, json: jsonWorker };
globalThis.MonacoEnvironment = { getWorkerUrl: (_module, label) => workers[label], globalAPI: true };

/** Loads the schema again as the current caller. GraphiQL has no function for it, only a button. */
const refetchSchema = () =>
  document.querySelector<HTMLButtonElement>('button[aria-label^="Re-fetch GraphQL schema"]')?.click();

/** The `Authorization` header in the editor's text, which may not be valid JSON while it is being typed. */
const authorizationIn = (headers: string) => /"Authorization"\s*:\s*"([^"]*)"/i.exec(headers)?.[1]?.trim();

/** The place for a token. Without one, requests use the session. */
const headers = JSON.stringify({ Authorization: 'Bearer ' });
let authorization = authorizationIn(headers);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Loads the schema once another token was entered. */
function onEditHeaders(text: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (authorizationIn(text) === authorization) return;
    authorization = authorizationIn(text);
    refetchSchema();
  }, 500);
}

const loading = Promise.all([findSavedQueries(), import(/* @vite-ignore */ library)]);
await setReader((await getSession().catch(() => null))?.person);

/** What acts on the shown query, which is another one until GraphiQL shows. */
const queryButtons: HTMLButtonElement[] = [];
const message = document.createElement('output');
const showMessage = (text: string) => (message.textContent = text);
const bar = document.querySelector('header');
if (bar) {
  const caller = document.createElement('div');
  queryButtons.push(
    downloadButton('CSV', () => authorization, showMessage),
    downloadButton('XLSX', () => authorization, showMessage),
    saveButton(showMessage),
    costButton(() => authorization, showMessage),
    chartButton(() => authorization, showMessage),
  );
  for (const button of queryButtons) button.disabled = true;
  bar.replaceChildren(caller, ...queryButtons, listButton(showMessage), examplesButton(showMessage), message);
  void showBar(caller);
  onSessionChange(() => void showBar(caller).then(refetchSchema));
}

/** Scrolls to the selected tab, which may be one of many. */
const showTab = () =>
  document.querySelector('[role=tab][aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

function onChange(state: TabState): void {
  const { before, now } = onTabChange(state);
  nameAdded(before, now);
  requestAnimationFrame(() => {
    showTab();
    if (!takesVariables(before) || before.query !== now.query) showVariables(now);
  });
}

const [found] = await loading;
showMessage(explainMissing(found));
const saved = found ?? [];
openSaved(saved);
const defaultTabs = [...savedTabs(saved), ...exampleTabs];
readFirstTab(defaultTabs);
const root = document.querySelector('#root');
YogaGraphiQL.renderYogaGraphiQL(root, {
  title: 'Premises',
  endpoint: '/graphql',
  defaultTabs,
  headers,
  // So that the next person at the same browser does not get the token.
  shouldPersistHeaders: false,
  onEditHeaders,
  onTabChange: onChange,
  getDefaultFieldNames: defaultFieldNames,
});
// It does not report when it shows the first tab.
new MutationObserver((_changes, observer) => {
  if (!document.querySelector('[role=tab][aria-selected=true]')) return;
  observer.disconnect();
  requestAnimationFrame(() => {
    showTab();
    void activeTab().then(showVariables);
  });
}).observe(root ?? document.body, { childList: true, subtree: true });
for (const button of queryButtons) button.disabled = false;
