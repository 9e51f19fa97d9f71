// The first rows of a list as a plain table: on a slow network it is there while the libraries of the page are loading.
import type { CollectionsQuery, DefinitionQuery, MetaQuery } from '../api/generated/graphql.ts';
import { pageData } from '../app/first-requests.ts';
import { setReader } from '../texts/texts.ts';
import { loadWords, sayNames, sayResources, valueLabels } from '../texts/words.ts';
import type { Definition, Field } from './definitions.ts';
import { canChangeMany, columnsOf, isPlain } from './list-query.ts';
import type { RowPage } from './rows.ts';
import { isEmpty, isNumeric, titleOf, valueText } from './value-text.ts';

/** What the API has answered about a list and its rows. */
export interface EarlyList {
  readonly collections: CollectionsQuery;
  readonly definition: DefinitionQuery;
  readonly meta: MetaQuery;
  readonly rows: RowPage;
}

/** What rows are shown with. */
interface Shown {
  readonly definition: Definition;
  readonly columns: readonly Field[];
  /** The address of the list. */
  readonly address: string;
  readonly textOf: (field: Field, row: RowPage['nodes'][number]) => string;
}

/** For how long (ms) the table stays at most once the page shows anything, such as an error. */
const longestMs = 5000;

/** Shows the rows until the page shows its list, if it shows nothing yet. */
export async function showEarlyList(given: EarlyList, address: string): Promise<void> {
  await setReader(pageData.session?.person);
  const say = await loadWords();
  const collections = new Map(sayNames(say, given.collections.resources ?? []).map((each) => [each.type, each]));
  const [definition] = sayResources(say, given.definition.resources ?? []);
  const label = valueLabels(say, given.meta.meta?.enums ?? []);
  const root = document.querySelector('#root');
  if (!definition || !root || root.childElementCount > 0) return;
  const columns = columnsOf(definition, {}).filter(isPlain);
  const shown: Shown = {
    definition,
    columns,
    address,
    textOf(field, row) {
      const value = row[field.name];
      if (isEmpty(value)) return '–';
      const target = field.relation ? collections.get(field.references ?? '') : undefined;
      if (!target) return valueText(field, value, label);
      // The query has selected it.
      return titleOf(target, row[field.relation ?? ''] as RowPage['nodes'][number] | null);
    },
  };
  const page = element('div', 'shell early');
  page.append(element('header', 'app-header'), element('div', 'sidebar closed'), mainOf(shown, given.rows.nodes));
  root.before(page);
  const end = () => {
    observer.disconnect();
    page.remove();
  };
  let longest: number | undefined;
  const observer = new MutationObserver(() => {
    longest ??= window.setTimeout(end, longestMs);
    if (root.querySelector('.rows td.cell:not(:has(> .waiting)), [role=alert]')) end();
  });
  observer.observe(root, { childList: true, subtree: true });
}

function mainOf(shown: Shown, rows: RowPage['nodes']): HTMLElement {
  const heads = element('tr');
  if (canChangeMany(shown.definition)) heads.append(element('td', 'choice-cell'));
  heads.append(...shown.columns.map((field) => element('th', isNumeric(field) ? 'at-end' : '', field.label)));
  const head = element('thead');
  head.append(heads);
  const body = element('tbody');
  body.append(...rows.map((row, index) => rowOf(shown, row, index)));
  const table = element('table');
  table.append(head, body);
  const list = element('div', 'rows');
  list.role = 'region';
  list.ariaLabel = shown.definition.plural;
  list.tabIndex = 0;
  list.append(table);
  const main = element('main');
  main.append(element('h1', '', shown.definition.plural), list);
  return main;
}

function rowOf({ columns, definition, address, textOf }: Shown, row: RowPage['nodes'][number], index: number) {
  const shown = element('tr');
  shown.ariaRowIndex = String(index + 2);
  if (canChangeMany(definition)) shown.append(element('td', 'choice-cell'));
  for (const [place, field] of columns.entries()) {
    const cell = element('td', isNumeric(field) ? 'cell at-end' : 'cell');
    const isLink = place === 0 && definition.page && definition.rowField && field.control !== 'REFERENCE';
    const value = element(isLink ? 'a' : 'span', field.control === 'CHOICE' ? 'choice' : '', textOf(field, row));
    if (value instanceof HTMLAnchorElement) value.href = `${address}/${row.id}`;
    cell.append(value);
    shown.append(cell);
  }
  return shown;
}

function element(name: string, className = '', text = ''): HTMLElement {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}
