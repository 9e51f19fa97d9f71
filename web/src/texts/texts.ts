// The texts of the pages in the reader's language. English comes with the scripts that show it; another language is
// loaded once a script is, before anything is shown. Only what is called while a page is shown may ask for texts: what
// runs when a script loads runs before the language is known.
import { languages } from '../../../src/auth/sessions/bodies.ts';

export type Language = (typeof languages)[number];

/** The texts of a namespace by key. A key of a number has a text for each plural form, such as `rows_one`. */
interface Texts {
  readonly [key: string]: string | Texts;
}

/** The keys of texts: those within others as `parent.key`, and those of plural forms without the form. */
type KeyOf<Of> = {
  [Key in keyof Of & string]: Of[Key] extends string
    ? Key extends `${infer Stem}_${'one' | 'other'}`
      ? Stem
      : Key
    : `${Key}.${KeyOf<Of[Key]>}`;
}[keyof Of & string];

/** What stands at the places of a text, such as `{{name}}`. The number `count` chooses the plural form. */
export type Values = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Finds texts by key in the reader's language. */
export interface Translate<Key extends string> {
  (key: Key, values?: Values): string;
  /** The text without values. */
  readonly template: (key: Key, values?: Values) => string;
}

/** A namespace of texts in the languages that were loaded. */
interface Namespace {
  readonly of: Map<Language, Texts>;
  readonly loadGerman: () => Promise<{ readonly default: Texts }>;
}

/** The namespaces of all scripts that were loaded. */
const namespaces: Namespace[] = [];

/**
 * Adds the texts of a namespace.
 *
 * @param en its English texts
 * @param loadGerman loads its German texts, which have the same keys
 * @returns what finds a text by its key, in the reader's language
 */
export function texts<English extends Texts>(
  en: English,
  loadGerman: Namespace['loadGerman'],
): Translate<KeyOf<English>> {
  const of = new Map<Language, Texts>([['en', en]]);
  namespaces.push({ of, loadGerman });
  const template = (key: string, values?: Values) => {
    const count = values?.count;
    const form = typeof count === 'number' ? `_${new Intl.PluralRules(language()).select(count)}` : '';
    const given = of.get(language()) ?? en;
    return textAt(given, key + form) ?? textAt(given, key) ?? key;
  };
  return Object.assign((key: string, values?: Values) => fill(template(key, values), values), { template });
}

function textAt(given: Texts, key: string): string | undefined {
  const found = key
    .split('.')
    .reduce<string | Texts | undefined>((at, part) => (typeof at === 'object' ? at[part] : at), given);
  return typeof found === 'string' ? found : undefined;
}

/** Puts values at the places of a text; `{{count, number}}` is a number as the reader's language writes it. */
export const fill = (template: string, values: Values = {}): string =>
  template.replace(/\{\{(\w+)(, number)?\}\}/g, (_, name: string, isNumber?: string) => {
    const value = values[name];
    return isNumber && typeof value === 'number' ? value.toLocaleString(locale()) : String(value ?? '');
  });

/** Waits until the texts of all scripts that were loaded are there in the reader's language. */
export async function loadTexts(into: Language = language()): Promise<void> {
  if (into === 'en') return;
  // Without a network, what cannot be loaded stays English.
  await Promise.allSettled(
    namespaces
      .filter(({ of }) => !of.has(into))
      .map(async ({ of, loadGerman }) => of.set(into, (await loadGerman()).default)),
  );
}

/** A script of pages, loaded with its texts. */
export async function withTexts<Module>(script: Promise<Module>): Promise<Module> {
  const module = await script;
  await loadTexts();
  return module;
}

/** What a person prefers; null for what their browser says. */
export interface Preferences {
  readonly language: string | null;
  readonly time_zone: string | null;
}

/** The first language of a browser that the pages have. @param tags such as `de-AT`, the preferred one first */
export const languageOf = (tags: readonly string[]): Language =>
  tags.map(toLanguage).find((each) => each !== undefined) ?? 'en';

const toLanguage = (tag: string): Language | undefined =>
  languages.find((each) => each === tag.toLowerCase().split('-')[0]);

/** Whoever reads the pages. */
let reader: Preferences = { language: null, time_zone: null };

/** The locale of numbers and dates: that of the browser as far as it is in the language of the pages. */
let tag = 'en';

export const locale = (): string => tag;

/** The language of the pages. */
export const language = (): Language => languageOf([tag]);

/** The time zone of times; undefined for that of the browser. */
export const timeZone = (): string | undefined => reader.time_zone ?? undefined;

/**
 * Shows the pages as a person prefers from now on, once their texts are there.
 *
 * @param preferences of who is signed in; none where nobody is, or nobody knows
 */
export async function setReader(preferences: Preferences | null | undefined): Promise<void> {
  const next = { language: preferences?.language ?? null, time_zone: preferences?.time_zone ?? null };
  const chosen = next.language === null ? undefined : toLanguage(next.language);
  const found = chosen ?? languageOf(navigator.languages);
  const nextTag = navigator.languages.find((each) => toLanguage(each) === found) ?? found;
  const isSame = nextTag === tag && next.time_zone === reader.time_zone;
  reader = next;
  document.documentElement.lang = found;
  // Of scripts that were loaded since as well.
  await loadTexts(found);
  if (!isSame) setTag(nextTag);
}

/** Shows the pages in a language. @param next its BCP 47 tag; its texts must be there */
export function setTag(next: string): void {
  tag = next;
  version += 1;
  for (const listener of listeners) listener();
}

let version = 0;
const listeners = new Set<() => void>();

/** How often the language or the time zone has changed. */
export const readerVersion = (): number => version;

/** Calls a function when the language or the time zone has changed. @returns what stops it */
export function onReaderChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A label within a sentence: nouns keep their capital letter in German. */
export const inSentence = (label: string): string => (language() === 'de' ? label : label.toLowerCase());
