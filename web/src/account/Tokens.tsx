import { Badge, Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import type { Company } from '../api/auth.ts';
import { type ApiToken, listCompanyTokens, listMyTokens, revokeToken } from '../api/tokens.ts';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { SecretDialog } from '../components/SecretDialog.tsx';
import { useMeta } from '../components/useMeta.ts';
import { formatAgo, formatDay } from '../format.ts';
import { t } from '../texts/account.ts';
import { Trans } from '../texts/Trans.tsx';
import { CreateToken } from './CreateToken.tsx';
import { ExampleCommand } from './ExampleCommand.tsx';
import { RateLimit } from './RateLimit.tsx';

/** The person's own tokens and, for admins, those of the whole company. */
export function Tokens({ company, isAdmin }: { company: Company; isAdmin: boolean }) {
  const queryClient = useQueryClient();
  const own = useQuery({ queryKey: ['tokens', 'own'], queryFn: listMyTokens });
  const all = useQuery({ queryKey: ['tokens', 'company'], queryFn: listCompanyTokens, enabled: isAdmin });
  // An admin's own tokens are in both lists.
  const refetch = () => void queryClient.invalidateQueries({ queryKey: ['tokens'] });

  return (
    <>
      <TokenList isOwn title={t('apiTokens')} query={own} onChange={refetch} />
      {isAdmin && <TokenList title={t('apiTokensForName', { name: company.name })} query={all} onChange={refetch} />}
    </>
  );
}

interface TokenListProps {
  readonly title: string;
  /** Whether these are the person's own tokens, to which they can add. */
  readonly isOwn?: boolean;
  readonly query: Pick<UseQueryResult<readonly ApiToken[]>, 'data' | 'error'>;
  readonly onChange: () => void;
}

/** A list of tokens, with what can be done to them. */
function TokenList({ title, isOwn = false, query: { data: tokens, error }, onChange }: TokenListProps) {
  const { action } = useMeta();
  const revoke = action('revokeApiToken').label;
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<{ token: string; scopes: readonly string[] }>({ token: '', scopes: [] });
  const [revoking, setRevoking] = useState<ApiToken>();
  // Not derived from `created` and `revoking`, which a dialog shows until it has closed.
  const [dialog, setDialog] = useState<'created' | 'revoke'>();
  const [status, setStatus] = useState('');
  const titleId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  /** Takes the focus when the focused element is removed. */
  const focusHeading = () => heading.current?.focus();

  return (
    <Card component="section" withBorder padding="lg" aria-labelledby={titleId}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h3" id={titleId} ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {isOwn && !isCreating && (
            <Button onClick={() => setIsCreating(true)}>{action('createApiToken').label}</Button>
          )}
        </Group>
        {isOwn ? (
          <Text size="sm">
            <Trans t={t} name="tokensLetAppsCallTheAPI" values={{ token: '<token>' }} components={{ code: <Code /> }} />
          </Text>
        ) : (
          <Text size="sm">{t('onlyAdminsSeeThisListEach')}</Text>
        )}
        {isCreating && (
          <CreateToken
            onCancel={() => {
              setIsCreating(false);
              focusHeading();
            }}
            onCreate={(token, scopes) => {
              setIsCreating(false);
              setCreated({ token, scopes });
              setDialog('created');
              onChange();
            }}
          />
        )}
        {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
        {!tokens && !error && <LoadingSkeleton />}
        {tokens?.length === 0 && <Text c="dimmed">{t('noTokensYet')}</Text>}
        {tokens && tokens.length > 0 && (
          <Stack component="ul" className="list" gap={0} aria-labelledby={titleId}>
            {tokens.map((token) => (
              <li key={token.id}>
                <Group justify="space-between" align="flex-start" gap="xs">
                  <div>
                    <TokenSummary token={token} showOwner={!isOwn} />
                    {!isOwn && <RateLimit token={token} onChange={onChange} />}
                  </div>
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={`${revoke}: ${token.name}`}
                    onClick={() => {
                      setStatus('');
                      setRevoking(token);
                      setDialog('revoke');
                    }}
                  >
                    {revoke}
                  </Button>
                </Group>
              </li>
            ))}
          </Stack>
        )}
        <Text role="status" size="sm">
          {status}
        </Text>
      </Stack>
      <SecretDialog
        title={t('tokenCreated')}
        text={t('copyYourTokenNowYouWont')}
        label={t('token')}
        secret={created.token}
        opened={dialog === 'created'}
        onClose={() => setDialog(undefined)}
        onClosed={() => {
          setCreated({ token: '', scopes: [] });
          focusHeading();
        }}
      >
        <ExampleCommand {...created} />
      </SecretDialog>
      <ConfirmDialog
        title={t('revokeName2', { name: revoking?.name })}
        text={t('appsUsingThisTokenWillLose')}
        label={revoke}
        color="red"
        errorTitle={t('couldntRevokeTheToken')}
        opened={dialog === 'revoke'}
        onClose={() => setDialog(undefined)}
        onClosed={() => status && focusHeading()}
        action={async () => {
          if (!revoking) return;
          await revokeToken(revoking.id);
          setStatus(t('nameWasRevoked', { name: revoking.name }));
          setDialog(undefined);
          onChange();
        }}
      />
    </Card>
  );
}

function TokenSummary({ token, showOwner }: { token: ApiToken; showOwner: boolean }) {
  const { name, live, state, scopes, owner, lastFour, createdAt, lastUsedAt, expiresAt } = token;
  const { label } = useMeta();
  const facts = [
    ...(showOwner ? [`${owner.fullName} (${owner.email})`] : []),
    ...(lastFour ? [t('endsInLastFour', { lastFour })] : []),
    t('createdCreatedAt', { createdAt: formatDay(createdAt) }),
    lastUsedAt ? t('lastUsedLastUsedAt', { lastUsedAt: formatAgo(lastUsedAt) }) : t('neverUsed'),
    expiresAt ? t(state === 'EXPIRED' ? 'expiredOn' : 'expiresOn', { day: formatDay(expiresAt) }) : t('neverExpires'),
  ];
  return (
    <>
      <Group gap="xs">
        <Text fw={600}>{name}</Text>
        <Badge variant="outline" color={live ? 'cyan' : 'gray'}>
          {live ? t('live') : t('sandbox')}
        </Badge>
        {state === 'EXPIRED' && (
          <Badge variant="outline" color="red">
            {label('ApiTokenState', state)}
          </Badge>
        )}
      </Group>
      <Text size="sm">{formatScopes(scopes)}</Text>
      <Text size="sm" c="dimmed">
        {facts.join(' · ')}
      </Text>
    </>
  );
}

/** Describes wildcards; other scopes stay as the API has them. */
function formatScopes(scopes: readonly string[]): string {
  if (scopes.includes('*') || (scopes.includes('*:read') && scopes.includes('*:write'))) return t('fullAccess');
  const wildcards: Record<string, string> = { '*:read': t('readEverything'), '*:write': t('writeEverything') };
  return scopes.map((scope) => wildcards[scope] ?? scope).join(', ');
}
