import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { getSession } from '../api/auth.ts';
import { GuestPage } from '../components/GuestPage.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { useQuery } from '../components/useQuery.ts';

/** The index: where the pages, the API and its documentation are. */
export default function Home() {
  usePageTitle('Home');
  const { data: session } = useQuery(getSession);
  return (
    <GuestPage size={720}>
      <Stack>
        <Title order={1} size="h2">
          Premises
        </Title>
        <Text>Facilities and workplace management, with a GraphQL and a REST API over the same data.</Text>
        <Section title="Pages">
          {session ? (
            <>
              <Item to="/dashboard" name="Dashboard">
                Requests, stock, leases and maintenance in figures
              </Item>
              <Item to="/account" name="Account">
                API tokens, password and company
              </Item>
            </>
          ) : (
            <Item to="/sign-in" name="Sign in">
              For the dashboard and API tokens
            </Item>
          )}
          <Item to="/packages" name="Register a delivery">
            For guests who expect a package
          </Item>
        </Section>
        <Section title="API">
          <Item to="/docs" name="REST reference">
            Every operation at /api/v1, with its parameters and responses
          </Item>
          <Item to="/graphql" name="GraphiQL">
            Queries at /graphql, with examples
          </Item>
          <Item to="/api/v1/openapi.json" name="OpenAPI document">
            For client generators
          </Item>
        </Section>
        <Section title="Tutorials">
          <Item to="/tutorials/curl" name="curl">
            The REST API in a shell
          </Item>
          <Item to="/tutorials/graphql" name="GraphQL">
            A typed client with codegen
          </Item>
          <Item to="/tutorials/typescript" name="TypeScript">
            A client generated from the OpenAPI document
          </Item>
          <Item to="/tutorials/analyst" name="Analyst">
            Ten questions that the data answers
          </Item>
          <Item to="/tutorials/sync" name="SQLite">
            A copy that follows every change
          </Item>
        </Section>
      </Stack>
    </GuestPage>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card component="section" withBorder padding="md">
      <Title order={2} size="h4">
        {title}
      </Title>
      <ul className="list">{children}</ul>
    </Card>
  );
}

function Item({ to, name, children }: { to: string; name: string; children: string }) {
  return (
    <li>
      <Anchor href={to} fw={600}>
        {name}
      </Anchor>
      <Text size="sm">{children}</Text>
    </li>
  );
}
