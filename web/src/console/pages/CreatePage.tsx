import { Stack, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { createRowRoute } from '../../app/router.tsx';
import { usePageTitle } from '../../components/usePageTitle.ts';
import { t } from '../../texts/console.ts';
import { inSentence } from '../../texts/texts.ts';
import { actionOf, type Collection, useCollectionAt, useDefinition } from '../definitions.ts';
import { ResourceForm } from '../form/ResourceForm.tsx';
import { Missing } from '../Missing.tsx';
import { showDone } from '../notices.tsx';
import { runAction } from '../writes.ts';

/** A form for a new row of the resource that the address names, below the row `parent` where rows have one. */
export default function CreatePage() {
  const collection = useCollectionAt(createRowRoute.useParams().collection);
  return collection ? <Create key={collection.type} collection={collection} /> : <Missing />;
}

function Create({ collection }: { readonly collection: Collection }) {
  const definition = useDefinition(collection.type);
  const { parent } = createRowRoute.useSearch();
  const navigate = useNavigate({ from: createRowRoute.fullPath });
  const create = actionOf(definition, 'create');
  const name = inSentence(definition.label);
  usePageTitle(t('newName', { name }));
  // The id of the row that it belongs to is an argument of its own.
  const argument = create?.arguments.find(({ name }) => name !== 'input')?.name;
  if (!create || (argument !== undefined && parent === undefined)) return <Missing />;
  return (
    <Stack>
      <Title order={1} size="h2">
        {t('newName', { name })}
      </Title>
      <ResourceForm
        definition={definition}
        action={create}
        submitLabel={t('createName', { name })}
        onSubmit={async (input) => {
          const given = { input, ...(argument !== undefined && { [argument]: parent }) };
          const { id } = await runAction<{ id: string }>(create, given, 'id');
          showDone(t('labelCreated', { label: definition.label }));
          if (definition.rowField)
            await navigate({ to: '/c/$company/$collection/$id', params: (at) => ({ ...at, id }), ignoreBlocker: true });
          else window.history.back();
        }}
        onCancel={() => window.history.back()}
      />
    </Stack>
  );
}
