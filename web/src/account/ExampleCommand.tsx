import { Code, Text } from '@mantine/core';
import { getMeta } from '../api/meta.ts';
import { useQuery } from '../components/useQuery.ts';
import { examplePath } from './example.ts';

interface Props {
  readonly token: string;
  readonly scopes: readonly string[];
}

/** A command that reads a list with a token. */
export function ExampleCommand({ token, scopes }: Props) {
  const { data: meta } = useQuery(getMeta);
  if (!meta) return null;
  const path = examplePath(scopes, meta.scopeGroups);
  const command = `curl -H 'Authorization: Bearer ${token}' \\\n  '${location.origin}/api/v1${path}'`;
  return (
    <>
      <Text size="sm">Try it from a terminal:</Text>
      <Code block tabIndex={0} aria-label="Example command">
        {command}
      </Code>
    </>
  );
}
