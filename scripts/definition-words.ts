// The words that the API has for its types, fields, values and actions, which web/src/texts/de/definitions.json says in
// German, and its help texts of fields, which web/src/texts/de/help.json does. What is missing is shown in English:
//   npx tsx scripts/definition-words.ts
// prints it, and what the files have that the API no longer says.
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

/** Fields that forms do not show, or whose control has no help text. */
const withoutHelp = ['id', 'externalSource', 'externalId', 'attachmentIds', 'fileId', 'expectedCount', 'dryRun'];

/** The help texts that forms show under fields, in English. */
export const helpTexts = (): readonly string[] =>
  words(
    api.description.resources
      .flatMap(({ actions }) => actions)
      .filter(({ action }) => ['create', 'update', 'updateMany'].includes(action))
      .flatMap(({ input }) => input)
      // A list says how it is entered instead.
      .filter(({ name, control, isList }) => control !== 'ITEMS' && !isList && !withoutHelp.includes(name))
      .flatMap(({ description }) => (description ? [description] : [])),
  );

const labelsOf = (fields: readonly Labelled[]): string[] =>
  fields.flatMap(({ label, fields: inner = [] }) => [label, ...labelsOf(inner)]);

const words = (labels: readonly string[]): string[] => [...new Set(labels)].sort();

const folder = join(import.meta.dirname, '../web/src/texts/de');

/** What the German files lack of the words and help texts of the API, and what they have besides, as `kind: word`. */
export function checkDefinitionWords(): { readonly missing: readonly string[]; readonly unused: readonly string[] } {
  // The files map words by kind, and help texts; the test of the texts checks that.
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const german = {
    ...(read('definitions.json') as Partial<Record<string, Record<string, string>>>),
    help: read('help.json') as Record<string, string>,
  } as Partial<Record<string, Record<string, string>>>;
  const found = Object.entries({ ...definitionWords(), help: helpTexts() });
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
