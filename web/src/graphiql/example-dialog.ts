import type { CollectionsQuery } from '../api/generated/graphql.ts';
import { t } from '../texts/graphiql.ts';
import { loadWords, sayFields } from '../texts/words.ts';
import { actionButton, closeButton, element, openDialog, type ShowMessage } from './elements.ts';
import { examplesOf } from './resource-examples.ts';

type Collection = NonNullable<CollectionsQuery['resources']>[number];
/** Creates a button that lists queries by resource, of those that whoever is signed in can read. */
export const examplesButton = (showMessage: ShowMessage) =>
  actionButton(t('examples'), showMessage, async () => {
    // What is only needed here, so that GraphiQL opens as fast without it.
    const [{ CollectionsDocument, DefinitionDocument }, { execute }, say] = await Promise.all([
      import('../api/generated/graphql.ts'),
      import('../api/graphql.ts'),
      loadWords(),
    ]);
    const { resources } = await execute(CollectionsDocument);
    const examples = element('div');
    const listed = resources
      .filter((resource): resource is Collection & { listField: string } => resource.listField !== null)
      .toSorted((one, other) => one.plural.localeCompare(other.plural));
    const choice = element(
      'select',
      {},
      ...listed.map(({ type, plural }) => element('option', { value: type, textContent: say('types', plural) })),
    );
    let reads = 0;
    const show = async () => {
      const read = (reads += 1);
      const [definition] = (await execute(DefinitionDocument, { types: [choice.value] })).resources;
      if (read !== reads || !definition) return;
      const items = examplesOf({
        ...definition,
        plural: say('types', definition.plural),
        fields: sayFields(say, definition.fields),
      }).map(({ label, query }) =>
        element('li', {}, element('a', { href: `/graphql?query=${encodeURIComponent(query)}`, textContent: label })),
      );
      examples.replaceChildren(element('ul', {}, ...items));
    };
    choice.addEventListener('change', () => void show().catch(() => examples.replaceChildren(t('tryAgainInAMoment'))));
    await show();
    openDialog(
      t('examples'),
      element('label', {}, t('resource'), ' ', choice),
      examples,
      element('div', {}, closeButton(t('close'))),
    );
  });
