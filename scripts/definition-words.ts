// The words that the API has for its types, fields, values and actions, which web/src/texts/de/definitions.json says in
// German. What is missing there is shown in English:
//   npx tsx scripts/definition-words.ts
// prints it, and what the file has that the API no longer says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scopeGroups } from '../src/auth/scopes.ts';
import { api } from '../src/schema/index.ts';

/** Words by what they are of. */
export type Words = Readonly<Record<'types' | 'fields' | 'values' | 'actions', readonly string[]>>;

interface Labelled {
  readonly label: string;
  readonly fields?: readonly Labelled[];
}

/** The words of the API, in English. */
export function definitionWords(): Words {
  const { resources, actions, enums } = api.description;
  const inputs = [...actions, ...resources.flatMap((resource) => resource.actions)].flatMap(({ input }) => input);
  const fields = [...resources.flatMap((resource) => [...resource.fields, ...resource.shown]), ...inputs];
  return {
    types: words([
      ...Object.values(scopeGroups).map(({ name }) => name),
      ...resources.flatMap(({ label, plural, lists }) => [label, plural, ...lists.map((list) => list.label)]),
    ]),
    fields: words(labelsOf(fields)),
    values: words([...enums.values()].flat().map(({ label }) => label)),
    actions: words([...actions, ...resources.flatMap((resource) => resource.actions)].map(({ label }) => label)),
  };
}

const labelsOf = (fields: readonly Labelled[]): string[] =>
  fields.flatMap(({ label, fields: inner = [] }) => [label, ...labelsOf(inner)]);

const words = (labels: readonly string[]): string[] => [...new Set(labels)].sort();

const file = join(import.meta.dirname, '../web/src/texts/de/definitions.json');

/** What the German file lacks of the words of the API, and what it has besides, as `kind: word`. */
export function checkDefinitionWords(): { readonly missing: readonly string[]; readonly unused: readonly string[] } {
  // The file maps words by kind; the test of the texts checks that.
  const german = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<string, Record<string, string>>>;
  const found = Object.entries(definitionWords());
  return {
    missing: found.flatMap(([kind, all]) =>
      all.filter((word) => !german[kind]?.[word]).map((word) => `${kind}: ${word}`),
    ),
    unused: found.flatMap(([kind, all]) =>
      Object.keys(german[kind] ?? {}).flatMap((word) => (all.includes(word) ? [] : [`${kind}: ${word}`])),
    ),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { missing, unused } = checkDefinitionWords();
  for (const word of missing) console.log(`missing  ${word}`);
  for (const word of unused) console.log(`unused   ${word}`);
}
