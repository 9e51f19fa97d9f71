// The parameters that other APIs have for what ours are called something else.

/** Names in lower case without punctuation, by the parameters of ours that do the same. */
const names: readonly (readonly [ours: readonly string[], others: string])[] = [
  [['offset', 'limit'], 'page p pageno pagenum pagenumber pageindex'],
  [['limit'], 'size pagesize pagelimit perpage top take first last count max maxresults'],
  [['offset'], 'skip startat startindex pageoffset'],
  [['cursor'], 'after before pageafter pagecursor pagetoken nextcursor nexttoken startingafter continuationtoken'],
  [['search'], 'q query s term keyword keywords searchterm searchtext fulltext'],
  [
    ['sort', 'order'],
    'sortby sortfield sortkey sorting sortorder sortdir sortdirection orderby ordering dir direction',
  ],
  [['filter'], 'filters where conditions rsql fiql'],
  [['include'], 'includes expand embed populate with'],
  [['fields'], 'field select only columns attributes properties projection'],
  [['updated_after'], 'since updatedsince modifiedsince modifiedafter changedsince'],
  [['created_after'], 'createdsince'],
];

const own = new Map(names.flatMap(([ours, others]) => others.split(' ').map((other) => [other, ours] as const)));

/**
 * Finds the parameters that do what one of another API does: `limit` for `per_page`, `$top` and `page[size]`.
 *
 * @param known the parameters of the route
 * @returns those of them, or none
 */
export const findOwnParameters = (name: string, known: readonly string[]): readonly string[] =>
  (own.get(name.toLowerCase().replace(/[^a-z]/g, '')) ?? []).filter((each) => known.includes(each));

/** The field of `filter[status]` or `filter[created_at][gte]`, as our parameters name it; undefined for others. */
export const filteredField = (name: string): string | undefined =>
  /^(?:filters?|where)\[(\w+)\]((?:\[\w+\])?)$/.exec(name)?.slice(1).join('');
