import { Stack, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { editRowRoute } from '../../app/router.tsx';
import { usePageTitle } from '../../components/usePageTitle.ts';
import { t } from '../../texts/console.ts';
import {
  type Action,
  actionOf,
  type Collection,
  type Definition,
  useCollectionAt,
  useCollections,
  useDefinition,
  useInput,
} from '../definitions.ts';
import { ResourceForm } from '../form/ResourceForm.tsx';
import { Missing } from '../Missing.tsx';
import { showDone } from '../notices.tsx';
import { isId, rowQuery } from '../rows.ts';
import { titleOf } from '../value-text.ts';
import { runAction } from '../writes.ts';

/** A form for the row that the address names. */
export default function EditPage() {
  const { collection: page, id } = editRowRoute.useParams();
  const collection = useCollectionAt(page);
  return collection?.rowField && isId(id) ? <Edit key={id} collection={collection} id={id} /> : <Missing />;
}

function Edit({ collection, id }: { readonly collection: Collection; readonly id: string }) {
  const definition = useDefinition(collection.type);
  const update = actionOf(definition, 'update');
  return update ? <EditForm definition={definition} update={update} id={id} /> : <Missing />;
}

interface FormProps {
  readonly definition: Definition;
  readonly update: Action;
  readonly id: string;
}

function EditForm({ definition, update, id }: FormProps) {
  const navigate = useNavigate({ from: editRowRoute.fullPath });
  const query = rowQuery(definition, id, useCollections(), useInput(update));
  // As it was when the form was opened: what others write meanwhile is found by its etag.
  const { data: row } = useSuspenseQuery({ ...query, staleTime: Infinity });
  const title = titleOf(definition, row);
  usePageTitle(t('editTitle', { title }));
  if (!row) return <Missing />;
  const show = () => navigate({ to: '/c/$company/$collection/$id', params: (at) => at, ignoreBlocker: true });
  return (
    <Stack>
      <Title order={1} size="h2">
        {t('editTitle', { title })}
      </Title>
      <ResourceForm
        definition={definition}
        action={update}
        row={row}
        submitLabel={t('save')}
        onSubmit={async (input) => {
          if (Object.keys(input).length > 0) {
            await runAction(update, { id, input, ifMatch: row['etag'] }, 'id');
            showDone(t('saved'));
          }
          await show();
        }}
        onCancel={() => void show()}
      />
    </Stack>
  );
}
