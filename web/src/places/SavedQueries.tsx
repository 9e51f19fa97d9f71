import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { savedQueriesQuery } from '../answers/answer.ts';
import { PageLink } from '../app/Link.tsx';
import { useCompany } from '../console/company.ts';
import { Place, Waiting } from '../console/Place.tsx';
import { t } from '../texts/answers.ts';

/** The saved queries that the person sees: each leads to its answer. */
export default function SavedQueries() {
  const { slug } = useCompany();
  const { data, error } = useQuery(savedQueriesQuery);
  return (
    <Place title={t('savedQueries')} aside={<a href="/graphql">{t('newQueryInGraphiQL')}</a>}>
      {!data && <Waiting error={error} />}
      {data?.length === 0 && <Text>{t('thereAreNoSavedQueriesYet')}</Text>}
      {data && data.length > 0 && (
        <ul className="list">
          {data.map(({ id, name, isMine, isShared, savedBy }) => (
            <li key={id}>
              <PageLink to={`/c/${slug}/saved-queries/${id}`}>{name}</PageLink>{' '}
              <Text span size="sm">
                {isMine ? (isShared ? t('sharedWithTheCompany') : t('onlyYou')) : t('sharedBySavedBy', { savedBy })}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Place>
  );
}
