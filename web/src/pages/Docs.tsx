import { Anchor, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useState } from 'react';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { Markdown } from '../components/Markdown.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { OperationDetails } from '../docs/OperationDetails.tsx';
import { loadReference, type Reference } from '../docs/openapi.ts';

import { t } from '../texts/docs.ts';
import { Trans } from '../texts/Trans.tsx';

/** The reference of the REST API, from its OpenAPI document. */
export default function Docs() {
  usePageTitle(t('restReference'));
  const { data, error } = useQuery({ queryKey: ['reference'], queryFn: loadReference, staleTime: Infinity });
  return (
    <GuestPage size={1080}>
      <Stack>
        <Title order={1} size="h2">
          {t('restReference')}
        </Title>
        {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
        {!data && !error && <LoadingSkeleton />}
        {data && <Content {...data} />}
      </Stack>
    </GuestPage>
  );
}

function Content({ about, groups, resolve }: Reference) {
  const [search, setSearch] = useState('');
  const [token, setToken] = useState('');
  const words = useDeferredValue(search).toLowerCase().split(/\s+/).filter(Boolean);
  const found = groups
    .map((group) => ({
      ...group,
      operations: group.operations.filter(({ text }) => words.every((word) => text.includes(word))),
    }))
    .filter(({ operations }) => operations.length > 0);
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0);
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), []);

  return (
    <>
      <Text>
        <Trans
          t={t}
          name="allPathsBeginWithApiV1"
          components={{ code: <code />, a: <Anchor href="/api/v1/openapi.json" underline="always" /> }}
        />
      </Text>
      <details>
        <summary>{t('conventions')}</summary>
        <Stack gap="sm" py="sm" lang="en">
          <Markdown linkTo={() => undefined}>{about}</Markdown>
        </Stack>
      </details>
      <TextInput
        type="search"
        label={t('searchOperations')}
        placeholder={t('postComments')}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <PasswordInput
        label={t('apiTokenForTryingOperations')}
        description={t('mostOperationsNeedOneEachSays')}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': t('showToken'), tabIndex: 0 }}
        value={token}
        onChange={({ currentTarget }) => setToken(currentTarget.value.trim())}
      />
      <Text role="status" size="sm">
        {t('operations', { count })}
      </Text>
      {found.map(({ name, about, operations }) => (
        <section key={name} aria-labelledby={`group-${name.replaceAll(' ', '-')}`}>
          <Title order={2} size="h4" lang="en" id={`group-${name.replaceAll(' ', '-')}`}>
            {name}
          </Title>
          <Text size="sm" c="dimmed" mb={4} lang="en">
            {about}
          </Text>
          {operations.map((operation) => (
            <OperationDetails key={operation.operationId} operation={operation} resolve={resolve} token={token} />
          ))}
        </section>
      ))}
    </>
  );
}
