import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { rowRoute } from '../../app/router.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../../components/LoadingSkeleton.tsx';
import { type Collection, useCollectionAt, useCollections, useDefinition } from '../definitions.ts';
import { Missing } from '../Missing.tsx';
import { ResourceDetail } from '../row/ResourceDetail.tsx';
import { isId, rowQuery } from '../rows.ts';

/** The row that the address names. */
export default function RowPage() {
  const { collection: page, id } = rowRoute.useParams();
  const collection = useCollectionAt(page);
  return collection?.rowField && isId(id) ? <OneRow key={id} collection={collection} id={id} /> : <Missing />;
}

function OneRow({ collection, id }: { readonly collection: Collection; readonly id: string }) {
  const definition = useDefinition(collection.type);
  const { tab } = rowRoute.useSearch();
  const navigate = useNavigate({ from: rowRoute.fullPath });
  const { data: row, error } = useQuery(rowQuery(definition, id, useCollections()));
  if (row === null) return <Missing />;
  if (!row) return error ? <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert> : <LoadingSkeleton />;
  return (
    <ResourceDetail
      definition={definition}
      row={row}
      tab={tab}
      onTab={(next) => void navigate({ search: next === undefined ? {} : { tab: next } })}
    />
  );
}
