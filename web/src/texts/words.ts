// The words of the API for its types, fields, values and actions, in the reader's language. The API says them in
// English; what the German file lacks stays so, which shows the pages of a new resource at once.
import { language } from './texts.ts';

type Kind = 'types' | 'fields' | 'values' | 'actions';

/** Says a word of the API in the reader's language. */
export type Say = (kind: Kind, word: string) => string;

/** Loads the words of the API in the reader's language. */
export async function loadWords(): Promise<Say> {
  if (language() === 'en') return (_kind, word) => word;
  const file = await import('./de/definitions.json', { with: { type: 'json' } });
  const german: Record<Kind, Readonly<Partial<Record<string, string>>>> = file.default;
  return (kind, word) => german[kind][word] ?? word;
}

/** Says the help text of a field in the reader's language. */
export type SayHelp = (text: string) => string;

/** Loads the help texts of fields in the reader's language. Forms alone show them. */
export async function loadHelp(): Promise<SayHelp> {
  if (language() === 'en') return (text) => text;
  const file = await import('./de/help.json', { with: { type: 'json' } });
  const german: Readonly<Partial<Record<string, string>>> = file.default;
  return (text) => german[text] ?? text;
}

/** Something with a name that people read. */
interface Labelled {
  readonly label: string;
}

/** Says the labels of several things. */
export const sayLabels = <Item extends Labelled>(say: Say, kind: Kind, items: readonly Item[]): Item[] =>
  items.map((item) => ({ ...item, label: say(kind, item.label) }));

/** Says the labels of fields, and of the values that they can have. */
export const sayFields = <Field extends Labelled & { readonly choices: readonly Labelled[] }>(
  say: Say,
  fields: readonly Field[],
): Field[] =>
  sayLabels(say, 'fields', fields).map((field) => ({ ...field, choices: sayLabels(say, 'values', field.choices) }));

/** Something with a name for one and for several. */
interface Named extends Labelled {
  readonly plural: string;
}

/** Says the names of resources. */
export const sayNames = <Resource extends Named>(say: Say, resources: readonly Resource[]): Resource[] =>
  sayLabels(say, 'types', resources).map((resource) => ({ ...resource, plural: say('types', resource.plural) }));

/** What people read about a resource. */
interface Described extends Named {
  readonly lists: readonly Labelled[];
  readonly fields: readonly (Labelled & { readonly choices: readonly Labelled[] })[];
  readonly actions: readonly Labelled[];
}

/** Says the names of all that belongs to resources. */
export const sayResources = <Resource extends Described>(say: Say, resources: readonly Resource[]): Resource[] =>
  sayNames(say, resources).map((resource) => ({
    ...resource,
    lists: sayLabels(say, 'types', resource.lists),
    fields: sayFields(say, resource.fields),
    actions: sayLabels(say, 'actions', resource.actions),
  }));

/** An enum of the API, whose values GraphQL and REST spell in their ways. */
interface Enum {
  readonly name: string;
  readonly choices: readonly (Labelled & { readonly value: string; readonly restValue: string })[];
}

/** Finds what people call a value of an enum, in either spelling. One that a later version has is shown as it is. */
export function valueLabels(say: Say, enums: readonly Enum[]): (name: string, value: string) => string {
  const labels = new Map(
    enums.flatMap(({ name, choices }) =>
      choices.flatMap(({ value, restValue, label }) =>
        [value, restValue].map((each) => [`${name}.${each}`, say('values', label)] as const),
      ),
    ),
  );
  return (name, value) => labels.get(`${name}.${value}`) ?? value;
}
