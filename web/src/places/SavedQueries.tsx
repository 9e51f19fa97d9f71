import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { savedQueriesQuery } from '../answers/answer.ts';
import { PageLink } from '../app/Link.tsx';
import { useCompany } from '../console/company.ts';
import { Place, Waiting } from '../console/Place.tsx';

/** The saved queries that the person sees: each leads to its answer. */
export default function SavedQueries() {
  const { slug } = useCompany();
  const { data, error } = useQuery(savedQueriesQuery);
  return (
    <Place title="Saved queries" aside={<a href="/graphql">New query in GraphiQL</a>}>
      {!data && <Waiting error={error} />}
      {data?.length === 0 && <Text>There are no saved queries yet. Write one in GraphiQL, and save it there.</Text>}
      {data && data.length > 0 && (
        <ul className="list">
          {data.map(({ id, name, isMine, isShared, savedBy }) => (
            <li key={id}>
              <PageLink to={`/c/${slug}/saved-queries/${id}`}>{name}</PageLink>{' '}
              <Text span size="sm">
                {isMine ? (isShared ? 'shared with the company' : 'only you') : `shared by ${savedBy}`}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Place>
  );
}
