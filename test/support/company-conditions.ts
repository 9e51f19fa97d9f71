// Finds the tables of companies' rows that a statement opens without the condition that the rows are of one company.
import facts from '../../src/database/generated/facts.ts';

/** The tables whose rows belong to a company. */
const companyTables = new Set(
  Object.values<{ table: string; columns: object }>(facts.models)
    .filter(({ columns }) => 'companyId' in columns)
    .map(({ table }) => table),
);

/** A token: a word in lower case, a quoted name, a parameter, or a sign. */
interface Token {
  readonly kind: 'word' | 'name' | 'parameter' | 'sign' | 'literal';
  readonly text: string;
}

const form =
  /'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|\$\d+|"(?:[^"]|"")+"|[A-Za-z_][\w$]*|\d[\w.]*|::|<>|<=|>=|!=|\|\||->>|->|[^\s]/g;

function tokensOf(sql: string): Token[] {
  return [...sql.matchAll(form)].flatMap(([text]): Token[] => {
    if (text.startsWith('--') || text.startsWith('/*')) return [];
    if (/^\$\d/.test(text)) return [{ kind: 'parameter', text }];
    if (/^['$\d]/.test(text)) return [{ kind: 'literal', text }];
    if (text.startsWith('"')) return [{ kind: 'name', text: text.slice(1, -1) }];
    return /^[A-Za-z_]/.test(text) ? [{ kind: 'word', text: text.toLowerCase() }] : [{ kind: 'sign', text }];
  });
}

/** A query of a statement, which may be inside another: what it opens, and the tokens of its own. */
interface Query {
  readonly outer: Query | undefined;
  readonly tokens: readonly (Token | Group)[];
}

/** What stands in parentheses and is no query. */
interface Group {
  readonly kind: 'group';
  readonly items: readonly (Token | Group)[];
}

type Item = Token | Group;

const begins = new Set(['select', 'with', 'insert', 'update', 'delete', 'values', 'table']);

/** Splits a statement into its queries, those inside others included; each has the rest of the text as its own. */
function queriesOf(tokens: readonly Token[]): Query[] {
  const queries: Query[] = [];
  let at = 0;
  const read = (isQuery: boolean): Item[] => {
    const items: Item[] = [];
    let union: Item[] = items;
    const end = () => isQuery && union.length > 0 && queries.push({ outer: undefined, tokens: union });
    for (; at < tokens.length; at++) {
      const token = tokens[at] as Token;
      if (token.text === ')' && token.kind === 'sign') break;
      if (token.text === '(' && token.kind === 'sign') {
        at++;
        const next = tokens[at];
        const inner = next?.kind === 'word' && begins.has(next.text);
        const found = read(inner);
        if (!inner) union.push({ kind: 'group', items: found });
        else union.push({ kind: 'literal', text: '(query)' });
        continue;
      }
      if (isQuery && token.kind === 'word' && ['union', 'intersect', 'except'].includes(token.text)) {
        end();
        union = [];
        continue;
      }
      union.push(token);
    }
    end();
    return items;
  };
  read(true);
  return queries;
}

const isWord = (item: Item | undefined, ...words: string[]): boolean =>
  item?.kind === 'word' && words.includes(item.text);
const isSign = (item: Item | undefined, text: string): boolean => item?.kind === 'sign' && item.text === text;
const nameOf = (item: Item | undefined): string | undefined =>
  item?.kind === 'name' || item?.kind === 'word' ? item.text : undefined;

const keywords = new Set(
  'on where set join left right inner cross full natural group order limit offset for using returning select values union having lateral window do default as with tablesample and or'.split(
    ' ',
  ),
);

/** A table that a query opens, and the name it has there. */
interface OpenedTable {
  readonly table: string;
  readonly alias: string;
}

/** The tables of companies' rows that a query opens. The target of INSERT is not read. */
function openedBy(items: readonly Item[]): OpenedTable[] {
  const opened: OpenedTable[] = [];
  const flat = (list: readonly Item[]) => {
    let inFrom = false;
    for (let n = 0; n < list.length; n++) {
      const item = list[n] as Item;
      const before = list[n - 1];
      if (item.kind === 'group') {
        if (inFrom) flat([{ kind: 'word', text: 'from' }, ...item.items]);
        continue;
      }
      if (isWord(item, 'from', 'using', 'join')) inFrom = true;
      else if (isWord(item, 'update') && !isWord(before, 'for', 'key', 'do', 'on')) inFrom = true;
      else if (
        isWord(item, 'where', 'set', 'on', 'group', 'order', 'limit', 'offset', 'returning', 'having', 'for', 'values')
      )
        inFrom = false;
      else continue;
      if (inFrom) read(n + 1);
    }
    function read(start: number) {
      let n = start;
      for (;;) {
        if (isWord(list[n], 'only', 'lateral')) n++;
        let name = nameOf(list[n]);
        if (name === undefined || keywords.has(name)) return;
        if (isSign(list[n + 1], '.')) {
          n += 2;
          name = nameOf(list[n]) ?? '';
        }
        // A function has its arguments behind it.
        const isFunction = list[n + 1]?.kind === 'group';
        n++;
        if (isFunction) n++;
        if (isWord(list[n], 'as')) n++;
        const given = nameOf(list[n]);
        const alias = given !== undefined && !keywords.has(given) ? given : name;
        if (alias === given) n++;
        if (!isFunction && companyTables.has(name)) opened.push({ table: name, alias });
        if (list[n]?.kind === 'group') n++;
        if (!isSign(list[n], ',')) return;
        n++;
      }
    }
  };
  flat(items);
  return opened;
}

/** The words that begin or end a condition. */
const clauses = [
  'where',
  'on',
  'having',
  'join',
  'left',
  'inner',
  'cross',
  'order',
  'group',
  'limit',
  'set',
  'returning',
];

/** The parts between words. */
function splitBy(items: readonly Item[], words: readonly string[]): Item[][] {
  const parts: Item[][] = [[]];
  for (const item of items) {
    if (isWord(item, ...words)) parts.push([]);
    else parts.at(-1)?.push(item);
  }
  return parts;
}

/** The aliases that a query's own conditions bind to a parameter as the company; empty for columns without one. */
function boundIn(items: readonly Item[]): Set<string> {
  const bound = new Set<string>();
  for (const list of splitBy(items, clauses)) {
    const alternatives = splitBy(list, ['or']);
    if (alternatives.length > 1) {
      // One that lacks it may match rows of other companies.
      const [first = new Set<string>(), ...others] = alternatives.map(boundIn);
      for (const alias of first) if (others.every((other) => other.has(alias))) bound.add(alias);
      continue;
    }
    for (const [n, item] of list.entries()) {
      if (item.kind === 'group') {
        if (!isWord(list[n - 1], 'not')) for (const alias of boundIn(item.items)) bound.add(alias);
        bindTuple(list, n, bound);
      } else if (nameOf(item) === 'company_id' && isBound(list, n)) {
        bound.add(isSign(list[n - 1], '.') ? (nameOf(list[n - 2]) ?? '') : '');
      }
    }
  }
  return bound;
}

/** Whether a column is compared with a parameter: `company_id = $1`, or `company_id = ANY($1)`, or `IN ($1)`. */
function isBound(list: readonly Item[], n: number): boolean {
  const next = list[n + 1];
  if (isSign(next, '=')) {
    const operand = list[n + 2];
    if (operand?.kind === 'parameter') return true;
    const inner = list[n + 3];
    return isWord(operand, 'any') && inner?.kind === 'group' && inner.items[0]?.kind === 'parameter';
  }
  const inner = list[n + 2];
  return isWord(next, 'in') && inner?.kind === 'group' && inner.items[0]?.kind === 'parameter';
}

/** `(t.company_id, t.id) IN (($1, $2), …)` binds the company, as Prisma reads rows by their keys. */
function bindTuple(list: readonly Item[], n: number, bound: Set<string>): void {
  const [columns, operator, values] = [list[n], list[n + 1], list[n + 2]];
  if (columns?.kind !== 'group' || !isWord(operator, 'in') || values?.kind !== 'group') return;
  const place = columns.items.findIndex((item) => nameOf(item) === 'company_id');
  if (place < 0) return;
  const parameters = values.items.filter((item) => item.kind === 'group');
  if (parameters.length > 0 && parameters.every(({ items }) => items.every((item) => item.kind !== 'name')))
    bound.add(isSign(columns.items[place - 1], '.') ? (nameOf(columns.items[place - 2]) ?? '') : '');
}

/** The names of the subqueries of WITH, which hide tables. */
const namedIn = (tokens: readonly Token[]): Set<string> =>
  new Set(
    tokens.flatMap(({ text }, n) =>
      tokens[n + 1]?.text === 'as' && /^(\(|materialized|not)$/.test(tokens[n + 2]?.text ?? '') ? [text] : [],
    ),
  );

/** The tables that a statement opens without the condition on their company. */
export function findUnbound(sql: string): string[] {
  const tokens = tokensOf(sql);
  const hidden = namedIn(tokens);
  return queriesOf(tokens).flatMap(({ tokens: items }) => {
    const opened = openedBy(items).filter(({ table }) => !hidden.has(table));
    if (opened.length === 0) return [];
    const bound = boundIn(items);
    return opened.flatMap(({ table, alias }) =>
      bound.has(alias) || (bound.has('') && opened.length === 1) ? [] : [`${table} AS ${alias}`],
    );
  });
}
