import { Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { endOtherSessions, endSession, listSessions, type SignedInSession } from '../api/people.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { useMeta } from '../components/useMeta.ts';
import { formatAgo } from '../format.ts';
import { t } from '../texts/account.ts';

/** What ends sessions, and what is said then. */
interface Ending {
  readonly end: () => Promise<unknown>;
  readonly message: string;
}

/** The browsers in which the person is signed in. */
export function Sessions() {
  const { action } = useMeta();
  const signOut = action('endSession').label;
  const queryClient = useQueryClient();
  const { data: sessions, error: loadError } = useQuery({ queryKey: ['sessions'], queryFn: listSessions });
  const [status, setStatus] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ end }: Ending) => end(),
    onSuccess: async (_ended, { message }) => {
      await queryClient.invalidateQueries({ queryKey: ['sessions'] });
      setStatus(message);
    },
  });
  const others = sessions?.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="sessions">
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h3" id="sessions">
            {t('sessions')}
          </Title>
          {others.length > 0 && (
            <Button
              variant="default"
              disabled={isPending}
              onClick={() => mutate({ end: endOtherSessions, message: t('youWereSignedOutEverywhereElse') })}
            >
              {action('endOtherSessions').label}
            </Button>
          )}
        </Group>
        {loadError && <ErrorAlert takeFocus={false}>{loadError.message}</ErrorAlert>}
        {error && <ErrorAlert title={t('couldntSignOut')}>{error.message}</ErrorAlert>}
        {!sessions && !loadError && <LoadingSkeleton />}
        <Stack component="ul" className="list" gap={0} aria-labelledby="sessions">
          {sessions?.map((session) => (
            <li key={session.id}>
              <Group justify="space-between" gap="xs">
                <SessionSummary session={session} />
                {!session.isCurrent && (
                  <Button
                    variant="default"
                    size="xs"
                    disabled={isPending}
                    aria-label={`${signOut}: ${describeBrowser(session.userAgent)}`}
                    onClick={() => mutate({ end: () => endSession(session.id), message: t('theSessionWasEnded') })}
                  >
                    {signOut}
                  </Button>
                )}
              </Group>
            </li>
          ))}
        </Stack>
        <Text role="status" size="sm">
          {status}
        </Text>
      </Stack>
    </Card>
  );
}

function SessionSummary({ session: { userAgent, isCurrent, createdAt, ipAddress } }: { session: SignedInSession }) {
  return (
    <div>
      <Group gap="xs">
        <Text fw={600}>{describeBrowser(userAgent)}</Text>
        {isCurrent && <Badge variant="outline">{t('thisBrowser')}</Badge>}
      </Group>
      <Text size="sm" c="dimmed">
        {t(ipAddress ? 'signedInFrom' : 'signedIn', { ago: formatAgo(createdAt), ipAddress })}
      </Text>
    </div>
  );
}

/** The names of a browser and its system, as far as its description has them. */
function describeBrowser(userAgent: string | null): string {
  const browser = /Edg|OPR|Firefox|Chrome|Safari/.exec(userAgent ?? '')?.[0];
  const system = /Windows|Android|iPhone|iPad|Mac OS|Linux/.exec(userAgent ?? '')?.[0];
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser ?? ''] ?? browser ?? t('unknownBrowser');
  return system ? t('nameOnSystem', { name, system }) : name;
}
