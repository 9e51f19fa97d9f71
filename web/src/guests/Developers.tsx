import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { GuestPage } from '../components/GuestPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { t } from '../texts/guests.ts';

interface Entry {
  readonly to: string;
  readonly name: string;
  readonly about: string;
}

const sections = (): readonly { readonly title: string; readonly entries: readonly Entry[] }[] => [
  {
    title: 'API',
    entries: [
      { to: '/docs', name: t('restReference'), about: t('everyOperationAtApiV1With') },
      { to: '/graphql', name: 'GraphiQL', about: t('queriesAtGraphqlWithExamples') },
      { to: '/api/v1/openapi.json', name: t('openAPIDocument'), about: t('forClientGenerators') },
      { to: '/account', name: t('apiTokens'), about: t('forYourProgramsAfterSigningIn') },
    ],
  },
  {
    title: t('tutorials'),
    entries: [
      { to: '/tutorials/curl', name: 'curl', about: t('theRESTAPIInAShell') },
      { to: '/tutorials/graphql', name: 'GraphQL', about: t('aTypedClientWithCodegen') },
      { to: '/tutorials/typescript', name: 'TypeScript', about: t('aClientGeneratedFromTheOpenAPI') },
      { to: '/tutorials/analyst', name: t('analyst'), about: t('tenQuestionsThatTheDataAnswers') },
      { to: '/tutorials/sync', name: 'SQLite', about: t('aCopyThatFollowsEveryChange') },
    ],
  },
];

/** Where the API and its documentation are. */
export default function Developers() {
  usePageTitle(t('forDevelopers'));
  return (
    <GuestPage size={720}>
      <Stack>
        <Title order={1} size="h2">
          {t('forDevelopers')}
        </Title>
        <Text>{t('aGraphQLAndARESTAPI')}</Text>
        {sections().map(({ title, entries }) => (
          <Card key={title} component="section" withBorder padding="md">
            <Title order={2} size="h4">
              {title}
            </Title>
            <ul className="list">
              {entries.map(({ to, name, about }) => (
                <li key={to}>
                  <Anchor href={to} fw={600}>
                    {name}
                  </Anchor>
                  <Text size="sm">{about}</Text>
                </li>
              ))}
            </ul>
          </Card>
        ))}
      </Stack>
    </GuestPage>
  );
}
