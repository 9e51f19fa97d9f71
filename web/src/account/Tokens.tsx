import { Badge, Button, Card, Code, CopyButton, Group, Modal, Stack, Text, TextInput, Title } from '@mantine/core';
import { useCallback, useId, useRef, useState } from 'react';
import { Act } from '../components/Act.tsx';
import { Failure } from '../components/Failure.tsx';
import { Waiting } from '../components/SignedIn.tsx';
import { type Asked, useAnswer } from '../components/useAnswer.ts';
import { ago, day } from '../components/words.ts';
import type { Company } from '../session.ts';
import { Limit } from './Limit.tsx';
import { MakeToken } from './MakeToken.tsx';
import { type ApiToken, listTokens, revokeToken } from './tokens.ts';

interface Props {
  readonly mine?: boolean;
  readonly company: Company;
  readonly listed: Asked<ApiToken[]>;
  readonly onChange: () => void;
}

/** Everybody's own tokens, and for an admin the company's. */
export function TokenLists({ company, admin }: { company: Company; admin: boolean }) {
  const mine = useAnswer(useCallback(() => listTokens(true), []));
  const all = useAnswer(useCallback(async () => (admin ? listTokens(false) : []), [admin]));

  // A change in one list may be one in the other.
  function onChange() {
    mine.refresh();
    all.refresh();
  }

  return (
    <>
      <Tokens mine listed={mine} company={company} onChange={onChange} />
      {admin && <Tokens listed={all} company={company} onChange={onChange} />}
    </>
  );
}

/**
 * Tokens, and what can be done with them.
 * @param mine whether these are the person's own; else they are the whole company's, for an admin
 */
function Tokens({ mine = false, company, listed: { answer: tokens, error }, onChange }: Props) {
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<string>();
  const [doomed, setDoomed] = useState<ApiToken>();
  // What a dialog is about stays until it is out of sight.
  const [open, setOpen] = useState<'made' | 'doomed'>();
  const [told, setTold] = useState('');
  const title = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  /** For the keyboard, when what it was on is gone. */
  const comeBack = () => heading.current?.focus();

  return (
    <Card component="section" withBorder padding="lg" aria-labelledby={title}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h3" id={title} ref={heading} tabIndex={-1}>
            {mine ? 'API tokens' : `API tokens of ${company.name}`}
          </Title>
          {mine && !making && <Button onClick={() => setMaking(true)}>Make a token</Button>}
        </Group>
        {mine ? (
          <Text size="sm">Programs use a token to act as you: Authorization: Bearer &lt;token&gt;.</Text>
        ) : (
          <Text size="sm">
            You see these because you are an admin. A limit is how many requests a token may send in an hour.
          </Text>
        )}
        {making && (
          <MakeToken
            onCancel={() => {
              setMaking(false);
              comeBack();
            }}
            onMade={(token) => {
              setMaking(false);
              setMade(token);
              setOpen('made');
              onChange();
            }}
          />
        )}
        {error && <Failure takeFocus={false}>{error.message}</Failure>}
        {!tokens && !error && <Waiting />}
        {tokens?.length === 0 && <Text c="dimmed">There are none yet.</Text>}
        {tokens && tokens.length > 0 && (
          <Stack component="ul" className="rows" gap={0} aria-labelledby={title}>
            {tokens.map((token) => (
              <li key={token.id}>
                <Group justify="space-between" align="flex-start" gap="xs">
                  <div>
                    <Group gap="xs">
                      <Text fw={600}>{token.name}</Text>
                      <Badge variant="outline" color={token.live ? 'cyan' : 'gray'}>
                        {token.live ? 'Live' : 'Test'}
                      </Badge>
                      {token.state === 'EXPIRED' && (
                        <Badge variant="outline" color="red">
                          Expired
                        </Badge>
                      )}
                    </Group>
                    <Text size="sm">{scopesInWords(token.scopes)}</Text>
                    <Text size="sm" c="dimmed">
                      {!mine && `${token.owner.fullName}, ${token.owner.email} · `}
                      {token.lastUsedAt ? `last used ${ago(token.lastUsedAt)}` : 'never used'} ·{' '}
                      {token.expiresAt
                        ? `${token.state === 'EXPIRED' ? 'expired' : 'expires'} ${day(token.expiresAt)}`
                        : 'never expires'}
                    </Text>
                    {!mine && <Limit token={token} onChanged={onChange} />}
                  </div>
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={`Revoke ${token.name}`}
                    onClick={() => {
                      setTold('');
                      setDoomed(token);
                      setOpen('doomed');
                    }}
                  >
                    Revoke
                  </Button>
                </Group>
              </li>
            ))}
          </Stack>
        )}
        <Text role="status" size="sm">
          {told}
        </Text>
      </Stack>
      <Modal
        opened={open === 'made'}
        onClose={() => setOpen(undefined)}
        onExitTransitionEnd={() => {
          setMade(undefined);
          comeBack();
        }}
        title="Your new token"
        closeOnClickOutside={false}
        {...dialog}
      >
        <ShowOnce token={made ?? ''} onDone={() => setOpen(undefined)} />
      </Modal>
      <Modal
        opened={open === 'doomed'}
        onClose={() => setOpen(undefined)}
        onExitTransitionEnd={() => told && comeBack()}
        title={`Revoke ${doomed?.name}?`}
        {...dialog}
      >
        {doomed && (
          <Revoke
            token={doomed}
            onCancel={() => setOpen(undefined)}
            onRevoked={() => {
              setTold(`${doomed.name} is revoked.`);
              setOpen(undefined);
              onChange();
            }}
          />
        )}
      </Modal>
    </Card>
  );
}

const dialog = { centered: true, closeButtonProps: { 'aria-label': 'Close' } };

/** The one time that the token is there to be read. */
function ShowOnce({ token, onDone }: { token: string; onDone: () => void }) {
  return (
    <Stack>
      <Text>Copy it now: it is not shown again.</Text>
      <TextInput
        label="Token"
        value={token}
        readOnly
        data-autofocus
        classNames={{ input: 'token' }}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <CopyButton value={token} timeout={4000}>
        {({ copied, copy }) => <Button onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>}
      </CopyButton>
      <Text size="sm">Try it:</Text>
      <Code
        block
        tabIndex={0}
        aria-label="A command to try it with"
      >{`curl -H 'Authorization: Bearer ${token}' \\\n  '${location.origin}/api/v1/service-requests?limit=3'`}</Code>
      <Button variant="default" onClick={onDone}>
        I have it
      </Button>
    </Stack>
  );
}

function Revoke({ token, onCancel, onRevoked }: { token: ApiToken; onCancel: () => void; onRevoked: () => void }) {
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);

  async function revoke() {
    setBusy(true);
    await revokeToken(token.id).then(onRevoked, setError);
    setBusy(false);
  }

  return (
    <Stack>
      <Text>Whatever uses it is refused from now on. This cannot be undone.</Text>
      {error && <Failure>{error.message}</Failure>}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onCancel}>
          Keep it
        </Button>
        <Act color="red" busy={busy} onClick={() => void revoke()}>
          Revoke it
        </Act>
      </Group>
    </Stack>
  );
}

/** Wildcards in words; else the scopes as programs write them. */
function scopesInWords(scopes: readonly string[]): string {
  if (scopes.includes('*') || (scopes.includes('*:read') && scopes.includes('*:write'))) return 'Full access';
  const words: Record<string, string> = { '*:read': 'reads everything', '*:write': 'writes everything' };
  return scopes.map((scope) => words[scope] ?? scope).join(', ');
}
