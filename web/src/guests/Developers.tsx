import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { GuestPage } from '../components/GuestPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';

interface Entry {
  readonly to: string;
  readonly name: string;
  readonly about: string;
}

const sections: readonly { readonly title: string; readonly entries: readonly Entry[] }[] = [
  {
    title: 'API',
    entries: [
      { to: '/docs', name: 'REST reference', about: 'Every operation at /api/v1, with its parameters and responses' },
      { to: '/graphql', name: 'GraphiQL', about: 'Queries at /graphql, with examples' },
      { to: '/api/v1/openapi.json', name: 'OpenAPI document', about: 'For client generators' },
      { to: '/account', name: 'API tokens', about: 'For your programs, after signing in' },
    ],
  },
  {
    title: 'Tutorials',
    entries: [
      { to: '/tutorials/curl', name: 'curl', about: 'The REST API in a shell' },
      { to: '/tutorials/graphql', name: 'GraphQL', about: 'A typed client with codegen' },
      { to: '/tutorials/typescript', name: 'TypeScript', about: 'A client generated from the OpenAPI document' },
      { to: '/tutorials/analyst', name: 'Analyst', about: 'Ten questions that the data answers' },
      { to: '/tutorials/sync', name: 'SQLite', about: 'A copy that follows every change' },
    ],
  },
];

/** Where the API and its documentation are. */
export default function Developers() {
  usePageTitle('For developers');
  return (
    <GuestPage size={720}>
      <Stack>
        <Title order={1} size="h2">
          For developers
        </Title>
        <Text>A GraphQL and a REST API over the same data.</Text>
        {sections.map(({ title, entries }) => (
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
