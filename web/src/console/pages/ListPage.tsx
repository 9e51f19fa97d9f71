import { Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { listRoute } from '../../app/router.tsx';
import type { ListSearch } from '../../app/search.ts';
import { type Collection, useCollectionAt, useDefinition } from '../definitions.ts';
import { ListHeading, ResourceList } from '../list/ResourceList.tsx';
import { Missing } from '../Missing.tsx';

/** The rows of the resource that the address names. */
export default function ListPage() {
  const collection = useCollectionAt(listRoute.useParams().collection);
  return collection ? <List key={collection.type} collection={collection} /> : <Missing />;
}

function List({ collection }: { readonly collection: Collection }) {
  const definition = useDefinition(collection.type);
  const state = listRoute.useSearch();
  const navigate = useNavigate({ from: listRoute.fullPath });
  const change = (next: ListSearch) => void navigate({ search: next, replace: next.search !== state.search });
  return (
    <Stack gap="sm">
      <ListHeading definition={definition} />
      <ResourceList definition={definition} state={state} onChange={change} />
    </Stack>
  );
}
