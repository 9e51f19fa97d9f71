// The texts of the pages: both languages have all of them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkDefinitionWords } from '../../scripts/definition-words.ts';
import { root } from '../../src/root.ts';
import { languageOf } from '../../web/src/texts/texts.ts';

type Texts = { readonly [Key in string]: string | Texts };

const folder = join(root, 'web/src/texts');

/** What German says of the API, whose English is not in files. */
const ofApi = ['definitions.json', 'help.json'];

/** The namespaces of a language. */
const namesOf = (language: string) =>
  readdirSync(join(folder, language))
    .filter((name) => !ofApi.includes(name))
    .sort();

const read = (language: string, name: string) =>
  JSON.parse(readFileSync(join(folder, language, name), 'utf8')) as Texts;

/** Texts by key; those of objects inside as `parent.key`. */
const flat = (texts: Texts, prefix = ''): [key: string, text: string][] =>
  Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[prefix + key, text] as [string, string]] : flat(text, `${prefix}${key}.`),
  );

/** The values and elements that a text takes. */
const placesIn = (text: string) => (text.match(/\{\{\w+|<\/?\w+>/g) ?? []).sort();

test('each language has the same namespaces', () => {
  expect(namesOf('de')).toEqual(namesOf('en'));
});

test.each(namesOf('en'))('%s has the same keys in both languages, with what they take', (name) => {
  const [english, german] = [flat(read('en', name)), flat(read('de', name))];
  expect(german.map(([key]) => key)).toEqual(english.map(([key]) => key));
  const translations = new Map(german);
  for (const [key, text] of english) {
    const translation = translations.get(key) ?? '';
    expect([key, text.trim() !== '', translation.trim() !== '']).toEqual([key, true, true]);
    // Elements can come in another order.
    expect([key, placesIn(translation)]).toEqual([key, placesIn(text)]);
  }
});

test.each(['en', 'de'])(
  'no element in texts of %s is one that HTML has without content: its text would follow it',
  (language) => {
    const empty = /<(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b/;
    const found = namesOf(language).flatMap((name) =>
      flat(read(language, name)).filter(([, text]) => empty.test(text)),
    );
    expect(found).toEqual([]);
  },
);

test.each(['en', 'de'])('the plural forms of %s are those that the language has', (language) => {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  for (const name of namesOf(language)) {
    const keys = new Set(flat(read(language, name)).map(([key]) => key));
    for (const key of keys) {
      const [, stem, form] = /^(.*)_(zero|one|two|few|many|other)$/.exec(key) ?? [];
      if (stem === undefined || form === undefined) continue;
      expect([key, forms.includes(form as Intl.LDMLPluralRule)]).toEqual([key, true]);
      for (const other of forms) expect([name, keys.has(`${stem}_${other}`)]).toEqual([name, true]);
    }
  }
});

test('German has the words and help texts of all definitions, and no others', () => {
  expect(checkDefinitionWords()).toEqual({ missing: [], unused: [] });
});

test('a reader gets the first language of the browser that there is', () => {
  expect(languageOf(['fr-CH', 'de-AT', 'en'])).toBe('de');
  expect(languageOf(['EN-gb', 'de'])).toBe('en');
  expect(languageOf(['fr', 'deu'])).toBe('en');
  expect(languageOf([])).toBe('en');
});
