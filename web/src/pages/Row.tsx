import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { rowTypes } from '../../../src/pages/addresses.ts';
import { usePagePath } from '../app/usePagePath.ts';
import { AuthenticatedPage } from '../components/AuthenticatedPage.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { collectionsQuery } from '../console/definitions.ts';
import { Missing } from '../console/Missing.tsx';

/** The address of a row without its company, as notifications have it: it leads to the page in the active company. */
export default function Row() {
  const [, , table = '', id = ''] = usePagePath().split('/');
  return (
    <AuthenticatedPage>
      {({ company: { slug } }) => <ToPage slug={slug} type={rowTypes[table] ?? ''} id={id} />}
    </AuthenticatedPage>
  );
}

function ToPage({ slug, type, id }: { readonly slug: string; readonly type: string; readonly id: string }) {
  const { data: collections, error } = useQuery(collectionsQuery);
  if (error) return <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>;
  if (!collections) return <LoadingSkeleton />;
  const collection = collections.get(type)?.page;
  if (!collection) return <Missing />;
  return <Navigate to="/c/$company/$collection/$id" params={{ company: slug, collection, id }} replace />;
}
