import { Anchor, Button, Code, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { indentJson } from '../api/indent-json.ts';
import { PageLink } from '../app/Link.tsx';
import type { Operation } from './openapi.ts';

interface Result {
  readonly status: string;
  readonly body: string;
}

/** A form that sends a request of an operation. @param token an API token; without one the session's cookie applies */
export function TryIt({ operation, token }: { operation: Operation; token: string }) {
  const { method, path, parameters, requestBody } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const hasQuery = parameters.some((parameter) => parameter.in === 'query');
  const example = requestBody?.content['application/json']?.example;

  const form = useForm({
    mode: 'uncontrolled',
    initialValues: {
      path: Object.fromEntries(inPath.map(({ name }) => [name, ''])),
      query: '',
      body: requestBody ? JSON.stringify(example ?? {}, null, 2) : '',
    },
  });
  const {
    mutate,
    data: result,
    isPending,
  } = useMutation({
    mutationFn: (entered: typeof form.values) => {
      const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(entered.path[name] ?? ''));
      const query = entered.query.replace(/^\?/, '');
      return call(method, `/api/v1${target}${query && `?${query}`}`, token, entered.body);
    },
  });

  return (
    <form aria-label={`Try ${operation.summary}`} onSubmit={form.onSubmit((values) => mutate(values))}>
      <Stack gap="xs" maw={560}>
        {inPath.map(({ name, description }) => (
          <TextInput
            key={name}
            {...form.getInputProps(`path.${name}`)}
            size="xs"
            label={name}
            description={description}
            required
            withAsterisk={false}
          />
        ))}
        {hasQuery && (
          <TextInput {...form.getInputProps('query')} size="xs" label="Query" placeholder="limit=3&search=door" />
        )}
        {requestBody && (
          <Textarea
            {...form.getInputProps('body')}
            size="xs"
            label="Body"
            autosize
            maxRows={16}
            classNames={{ input: 'token' }}
          />
        )}
        <Text size="sm">{whoCanRun(operation, token !== '')}</Text>
        <Group>
          <Button type="submit" size="xs" loading={isPending}>
            Send request
          </Button>
          <Text role="status" size="sm">
            {result?.status}
          </Text>
        </Group>
      </Stack>
      {result?.body && (
        <Code block mah={400} mt="xs" tabIndex={0} role="group" aria-label="Response" style={{ overflow: 'auto' }}>
          {result.body}
        </Code>
      )}
    </form>
  );
}

/** Who can run an operation from here, and what others do. */
function whoCanRun({ security, operationId }: Operation, hasToken: boolean): ReactNode {
  const [requirement = {}] = security;
  if (requirement.session)
    return hasToken
      ? 'Your session runs this. Tokens are refused: remove the one at the top of the page.'
      : 'Your session runs this, if you are signed in. Tokens are refused.';
  if (!requirement.apiToken) return 'Everybody can run this, without a token.';
  const scope = requirement.apiToken.join(', ');
  if (hasToken) return `The token at the top of the page runs this${scope && `, if it has the scope ${scope}`}.`;
  return (
    <>
      Sessions are refused here. Enter a token{scope && ` with the scope ${scope}`} at the top of the page; you create
      one on your <PageLink to="/account">account page</PageLink>.
      {scope && (
        <>
          {' '}
          With your session, the same is <Code>{operationId}</Code> in <Anchor href="/graphql">GraphiQL</Anchor>.
        </>
      )}
    </>
  );
}

async function call(method: string, address: string, token: string, body: string): Promise<Result> {
  const start = performance.now();
  try {
    const response = await fetch(address, {
      method,
      headers: {
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body }),
    });
    const text = await response.text();
    const duration = Math.round(performance.now() - start);
    return { status: `${response.status} in ${duration} ms`, body: indentJson(text) };
  } catch {
    return { status: "Can't reach the server. Check your connection and try again.", body: '' };
  }
}
