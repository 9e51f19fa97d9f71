// Text of any language: how it is stored, compared, searched and sorted.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { shortPattern } from '../../src/database/read/short-texts.ts';
import type { Client, Row } from '../support/client.ts';
import { type Collection, collectionsWith } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

/** With accents as characters of their own; `stored` is the same text without. */
const decomposed = 'Café Žluťoučký straße ΣΊΣΥΦΟΣ'.normalize('NFD');
const stored = decomposed.normalize('NFC');
const spellings = [stored, decomposed, stored.toLowerCase(), stored.toUpperCase(), decomposed.toUpperCase()];

/** The fields of a body that take any text: those that the rows of the tests fill with words and a number. */
const freeTexts = (body: Row) =>
  Object.keys(body).filter((name) => typeof body[name] === 'string' && /^\w+ \d{3} \d{3}$/.test(body[name]));

describe.each(collectionsWith('create', 'list'))('%s', (_path, collection: Collection) => {
  test('stores and finds text in either spelling of its accents, and in any case', async () => {
    const rows = await Rows.of(service, await service.tenant());
    const path = fill(collection.path, await rows.parents(collection.path));
    const body = await rows.body(collection.on.create?.operation.field ?? '', { full: true });
    // The answer of a question is one of its options.
    const names = freeTexts(body).filter((name) => name !== 'correct_answer');
    const given = Object.fromEntries(names.map((name) => [name, `${body[name]} ${decomposed}`]));
    const created = await rows.client.post(path, { ...body, ...given });
    expect(created).toMatchObject({
      status: 201,
      row: Object.fromEntries(names.map((name) => [name, `${body[name]} ${stored}`])),
    });
    const found = async (query: Row) => {
      const reply = await rows.client.get(path, query);
      return { query, ids: reply.status === 200 ? reply.rows.map(({ id }) => id) : reply.text };
    };
    for (const name of names.filter((each) => each in created.row)) {
      const queries = [
        { [`${name}[eq]`]: given[name] },
        ...spellings.map((spelling) => ({ [`${name}[contains]`]: spelling.slice(1) })),
        { [`${name}[starts_with]`]: String(given[name]).toUpperCase() },
      ];
      for (const query of queries.map((each) => ({ ...each, limit: 1 })))
        expect(await found(query)).toEqual({ query, ids: [created.row['id']] });
    }
  });
});

describe('a search', () => {
  const words = [
    'straße',
    'ÄPFEL',
    'žluťoučký',
    'Σίσυφος',
    'Ёлка',
    'IŞIK',
    'İstanbul',
    'ĲSSEL',
    'ﬁn',
    'Μαΐου',
    'Ἀχιλλεύς ᾠδή',
  ];
  beforeAll(async () => {
    for (const word of words) await client.post('/paints', { name: `The ${word} paint` });
  });

  test.each(words)('finds %s in any case and spelling, and by its beginning', async (word) => {
    const terms = [word, word.toUpperCase(), word.toLowerCase(), [...word].slice(0, 3).join('').toUpperCase()];
    for (const search of [...terms, ...terms.map((term) => term.normalize('NFD'))])
      expect([search, (await client.get('/paints', { search })).rows.map(({ name }) => name)]).toEqual([
        search,
        [`The ${word} paint`],
      ]);
  });

  test('tells letters from those with accents', async () => {
    expect((await client.get('/paints', { search: 'apfel' })).rows).toEqual([]);
  });
});

test('a search for two letters finds what a search for more would', async () => {
  const words = ['Öl', 'öL', 'ĳÿ', 'ĲŸ', 'straße', 'оᲂка', 'ВОДА', 'вода', '会议室', '\u{20000}字', 'ﬁn', 'İŞIK'];
  for (const word of words) await client.post('/paints', { name: `Two ${word}.` });
  for (const [search, found] of [
    ['öl', ['Öl', 'öL']],
    ['ÿ', ['ĳÿ', 'ĲŸ']],
    ['ĳÿ', ['ĳÿ', 'ĲŸ']],
    ['Оо', ['оᲂка']],
    ['ОД', ['ВОДА', 'вода']],
    ['会议', ['会议室']],
    ['议会', []],
    ['\u{20000}字', ['\u{20000}字']],
    ['ß', ['straße']],
    ['aß', ['straße']],
    ['sk', []],
    ['ta', []],
    ['as', ['straße']],
    ['SS', ['straße']],
    ['ЪЪ', []],
    ['fi', ['ﬁn']],
    ['İŞ', ['İŞIK']],
    ['iş', []],
  ] as const) {
    const { rows } = await client.get('/paints', { search });
    const names = rows.map(({ name }) => String(name)).filter((name) => name.startsWith('Two '));
    expect([search, names.toSorted()]).toEqual([search, found.map((word) => `Two ${word}.`).toSorted()]);
  }
});

describe('the pattern of one or two letters', () => {
  test('of one has all letters that are or contain it when their case is folded', async () => {
    const all = Array.from({ length: 0x1_10_00 }, (_, code) => String.fromCodePoint(code)).filter((each) =>
      /[^\0\p{Cs}]/u.test(each),
    );
    const { rows } = await service.database.query({
      text: 'SELECT letter, fold_case(letter) AS folded FROM unnest($1::text[]) AS given (letter)',
      values: [all],
    });
    const foldedOf = new Map(rows.map(({ letter, folded }) => [String(letter), String(folded)]));
    const sources = new Map<string, string[]>();
    for (const [letter, folded] of foldedOf)
      for (const part of new Set(folded)) sources.set(part, [...(sources.get(part) ?? []), letter]);
    const short = all.filter((letter) => letter === letter.normalize() && shortPattern(letter) !== undefined);
    expect(short.length).toBeGreaterThan(40_000);
    const wrong = short.filter((letter) => {
      const pattern = shortPattern(letter) ?? '';
      const wanted = sources.get(foldedOf.get(letter) ?? '') ?? [];
      const found = [...new Set([...wanted, ...pattern])].filter((each) => new RegExp(pattern, 'u').test(each));
      return found.toSorted().join() !== wanted.toSorted().join();
    });
    expect(wrong).toEqual([]);
  });

  test('is of nothing else', () => {
    const others = ['', 'abc', '会议室', 'Σ', 'αβ', 'ß', 'İ', 'ﬁ', 'a%', '_', 'a b', '.', '\u0307'];
    expect(others.filter((text) => shortPattern(text) !== undefined)).toEqual([]);
  });

  test('of two finds what their folded text does', async () => {
    const needles = [...'acfhijlnstwyköв7字'].flatMap((one, _, all) => all.map((other) => one + other));
    const parts = [...needles.join(''), ...'FISÖВſßẞﬀﬁﬂﬃﬄﬅﬆŉıİǰẖẗẘẙẚᲀᲁᲄᲅ', '\u0307', '\u030c'];
    const pairs = [...new Set(parts)].flatMap((one, _, all) => all.map((other) => one + other));
    const { rows } = await service.database.query({
      text: `WITH stored AS MATERIALIZED (SELECT raw, fold_case(raw) AS folded FROM unnest($1::text[]) AS given (raw))
        SELECT needle, raw FROM unnest($2::text[], $3::text[]) AS given (needle, pattern), stored
         WHERE (raw ~ pattern) <> (strpos(folded, fold_case(needle)) > 0)`,
      values: [pairs.flatMap((pair) => [pair, `${pair}\u0307`]), needles, needles.map(shortPattern)],
    });
    expect(rows).toEqual([]);
  });
});

test('the case of every letter is folded', async () => {
  const letters = Array.from({ length: 0x1_10_00 }, (_, code) => String.fromCodePoint(code)).filter((letter) =>
    // Theta as a symbol has a lower case whose upper case is another.
    /(?!\u03f4)\p{L}/u.test(letter),
  );
  const spelled = letters.flatMap((letter) =>
    [letter.toUpperCase(), letter.toLowerCase(), letter.toLowerCase().toUpperCase()].map((other) => [letter, other]),
  );
  const { rows } = await service.database.query({
    text: `SELECT letter, other FROM unnest($1::text[], $2::text[]) AS given (letter, other)
           WHERE fold_case(normalize(letter)) <> fold_case(normalize(other))`,
    values: [spelled.map(([letter]) => letter), spelled.map(([, other]) => other)],
  });
  // Node and the database may know different versions of Unicode, but not of the letters of Europe's languages.
  expect(
    rows.filter(({ letter }) => /[\0-\u017f\u0370-\u058f\u1e00-\u1fff\ufb00-\ufb06]/.test(String(letter))),
  ).toEqual([]);
  expect(rows.length).toBeLessThan(spelled.length / 100);
});

describe('texts are the same in either spelling', () => {
  test('for what is unique', async () => {
    expect((await client.post('/inventory', { name: 'Cup', sku: 'CAFÉ-1'.normalize('NFC') })).status).toBe(201);
    expect(await client.post('/inventory', { name: 'Cup', sku: 'CAFÉ-1'.normalize('NFD') })).toMatchObject({
      status: 409,
      details: { sku: expect.any(String) },
    });
  });

  test('and their length counts what is stored', async () => {
    const name = 'é'.repeat(200);
    const { data } = await client.graphql(
      'mutation ($input: CreatePaintInput!) { createPaint(input: $input) { name } }',
      {
        input: { name: name.normalize('NFD') },
      },
    );
    expect(data).toEqual({ createPaint: { name } });
    // Its only normal form has two characters.
    expect(await client.post('/paints', { name: '\u0958'.repeat(150) })).toMatchObject({
      status: 422,
      details: { name: 'must be at most 200 characters' },
    });
  });

  test('in GraphQL, as variables, literals and escapes', async () => {
    const { data } = await client.graphql(
      `mutation ($input: CreateVendorInput!) {
        a: createVendor(input: $input) { companyName }
        b: createVendor(input: { companyName: "${'Renée'.normalize('NFD')}" }) { companyName }
        c: createVendor(input: { companyName: "Rene\\u0301e" }) { companyName }
      }`,
      { input: { companyName: 'Renée'.normalize('NFD') } },
    );
    expect(data).toEqual(Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { companyName: 'Renée' }])));
    const found = await client.graphql<{ vendors: { totalCount: number } }>(
      '{ vendors(filter: { companyName: { in: ["Rene\\u0301e"] } }) { totalCount } }',
    );
    expect(found.data.vendors.totalCount).toBe(3);
  });
});

describe('a list sorted by text', () => {
  // Unicode's root collation: letters before accents, those before case.
  const ordered = [
    '10',
    '9',
    'äpfel',
    'Äpfel',
    'apple',
    'Apple',
    'Banane',
    'Eagle',
    'éclair',
    'zebra',
    'Zoë',
    'яблоко',
  ];
  const shuffled = ordered.map((_, n) => ordered[(n * 5) % ordered.length] ?? '');
  let sorted: Client;
  const namesOf = (rows: readonly Row[]) => rows.map(({ company_name }) => company_name);
  beforeAll(async () => {
    sorted = await (await service.tenant()).client();
    for (const company_name of shuffled) await sorted.post('/vendors', { company_name, contact_name: company_name });
    await sorted.post('/vendors', { company_name: 'none' });
  });
  const complete = [...ordered.slice(0, 9), 'none', ...ordered.slice(9)];

  test.each(['asc', 'desc'])('has its order on pages, in CSV and between filters: %s', async (order) => {
    const expected = order === 'asc' ? complete : complete.toReversed();
    const unsetLast = [...(order === 'asc' ? ordered : ordered.toReversed()), 'none'];
    for (const [sort, names] of [
      ['company_name', expected],
      ['contact_name', unsetLast],
    ] as const) {
      const pages: unknown[] = [];
      let cursor: unknown;
      do {
        const reply = await sorted.get('/vendors', { sort, order, limit: 2, ...(cursor ? { cursor } : {}) });
        pages.push(...namesOf(reply.rows));
        cursor = (reply.meta['pagination'] as Row)['next_cursor'];
      } while (cursor);
      expect(pages).toEqual(names);
    }
  });

  test('agrees with filters of ranges', async () => {
    for (const [n, name] of complete.entries()) {
      const below = await sorted.get('/vendors', { 'company_name[lt]': name, sort: 'company_name', order: 'asc' });
      expect(namesOf(below.rows)).toEqual(complete.slice(0, n));
      const rest = await sorted.get('/vendors', { 'company_name[gte]': name, sort: 'company_name', order: 'asc' });
      expect(namesOf(rest.rows)).toEqual(complete.slice(n));
    }
  });

  test('has its order in GraphQL: backwards, below other rows, and of groups', async () => {
    const { data, errors } = await sorted.graphql<Record<string, { nodes: Row[]; aggregates: { key: Row }[] }>>(
      `{ first: vendors(orderBy: [{ field: COMPANY_NAME }]) { nodes { companyName } aggregates { key { companyName } } }
         last: vendors(orderBy: [{ field: COMPANY_NAME }], last: 3) { nodes { companyName } }
         groups: vendors { nodes { id } aggregates(orderBy: [{ field: "key.companyName", direction: DESC }]) { key { companyName } } } }`,
    );
    expect(errors).toEqual([]);
    expect(data['first']?.nodes.map(({ companyName }) => companyName)).toEqual(complete);
    expect(data['first']?.aggregates.map(({ key }) => key['companyName'])).toEqual(complete);
    expect(data['last']?.nodes.map(({ companyName }) => companyName)).toEqual(complete.slice(-3));
    expect(data['groups']?.aggregates.map(({ key }) => key['companyName'])).toEqual(complete.toReversed());
  });

  test('has its order inside rows, and by related rows', async () => {
    const buildings = [];
    for (const code of shuffled.slice(0, 5))
      buildings.push((await sorted.post('/locations/buildings', { name: code, code })).row);
    const [building_id] = buildings.map(({ id }) => id);
    for (const name of shuffled)
      expect(await sorted.post('/butts-in-seats/desks', { name, building_id })).toMatchObject({ status: 201 });
    const { data } = await sorted.graphql<{ building: { desks: { nodes: Row[] } } }>(
      'query ($id: ID!) { building(id: $id) { desks(orderBy: [{ field: NAME }]) { nodes { name } } } }',
      { id: building_id },
    );
    expect(data.building.desks.nodes.map(({ name }) => name)).toEqual(ordered);
    for (const { id, code } of buildings.slice(1))
      await sorted.post('/butts-in-seats/desks', { name: `In ${code}`, building_id: id });
    const related = await sorted.get('/butts-in-seats/desks', { sort: 'building.code', 'name[starts_with]': 'in ' });
    const codes = ordered.filter((each) => shuffled.slice(1, 5).includes(each));
    expect(related.rows.map(({ name }) => name)).toEqual(codes.map((code) => `In ${code}`));
  });
});
