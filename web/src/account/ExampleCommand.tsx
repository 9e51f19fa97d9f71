import { Code, Text } from '@mantine/core';
import { useMeta } from '../components/useMeta.ts';
import { t } from '../texts/account.ts';
import { examplePath } from './example.ts';

interface Props {
  readonly token: string;
  readonly scopes: readonly string[];
}

/** A command that reads a list with a token. */
export function ExampleCommand({ token, scopes }: Props) {
  const path = examplePath(scopes, useMeta().scopeGroups);
  const command = `curl -H 'Authorization: Bearer ${token}' \\\n  '${location.origin}/api/v1${path}'`;
  return (
    <>
      <Text size="sm">{t('tryItFromATerminal')}</Text>
      <Code block tabIndex={0} aria-label={t('exampleCommand')}>
        {command}
      </Code>
    </>
  );
}
