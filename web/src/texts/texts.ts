// The texts of the pages in the reader's language. English comes with the scripts that show it; another language is
// loaded once a script is, before anything is shown. Only what is called while a page is shown may ask for texts: what
// runs when a script loads runs before the language is known.
import i18next, { type TFunction } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { languages } from '../../../src/auth/sessions/bodies.ts';
import type { Resources } from './resources.ts';

export type Namespace = keyof Resources;

export type Language = (typeof languages)[number];

type Load = () => Promise<{ readonly default: object }>;

/** What loads the German texts of each namespace whose English ones were loaded. */
const namespaces = new Map<Namespace, Load>();

void i18next.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  // Texts are in `de`, for readers of `de-AT` too.
  load: 'languageOnly',
  resources: {},
  initAsync: false,
  // React escapes, and the pages set no HTML.
  interpolation: { escapeValue: false },
});

/**
 * Adds the texts of a namespace.
 *
 * @param en its English texts
 * @param de loads its German texts
 * @returns what finds a text by its key, in the reader's language
 */
export function texts<Name extends Namespace>(name: Name, en: Resources[Name], de: Load): TFunction<Name> {
  i18next.addResourceBundle('en', name, en);
  namespaces.set(name, de);
  return i18next.getFixedT(null, name);
}

/** Waits until the texts of all scripts that were loaded are there in the reader's language. */
export async function loadTexts(into: Language = language()): Promise<void> {
  if (into === 'en') return;
  const missing = [...namespaces].filter(([name]) => !i18next.hasResourceBundle('de', name));
  // Without a network, what cannot be loaded stays English.
  await Promise.allSettled(
    missing.map(async ([name, load]) => i18next.addResourceBundle('de', name, (await load()).default)),
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

/** The language of the pages. */
export const language = (): Language => languageOf([i18next.language]);

/** The locale of numbers and dates: that of the browser as far as it is in the language of the pages. */
export const locale = (): string => i18next.language;

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
  const tag = navigator.languages.find((each) => toLanguage(each) === found) ?? found;
  const isSame = tag === i18next.language && next.time_zone === reader.time_zone;
  reader = next;
  const root = document.documentElement;
  root.lang = found;
  if (isSame) return;
  await loadTexts(found);
  const before = i18next.dir();
  await i18next.changeLanguage(tag);
  // As the document has it otherwise.
  if (i18next.dir() !== before) root.dir = i18next.dir();
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
