import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { deleteWebhook, listWebhooks, rotateWebhookSecret, type Webhook } from '../api/webhooks.ts';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { SecretDialog } from '../components/SecretDialog.tsx';
import { useMeta } from '../components/useMeta.ts';
import { WebhookForm } from './WebhookForm.tsx';
import { WebhookRow } from './WebhookRow.tsx';

interface Props {
  /** The signed-in person. */
  readonly personId: string;
  readonly isAdmin: boolean;
}

/** The webhooks that the person manages, with what can be done to them. */
export function WebhookList({ personId, isAdmin }: Props) {
  const { action } = useMeta();
  const {
    data: webhooks,
    error,
    refetch,
  } = useQuery({
    queryKey: ['webhooks', personId],
    queryFn: () => listWebhooks(personId),
  });
  const [isCreating, setIsCreating] = useState(false);
  const [secret, setSecret] = useState({ title: '', secret: '' });
  const [chosen, setChosen] = useState<Webhook>();
  // Not derived from `secret` and `chosen`, which a dialog shows until it has closed.
  const [dialog, setDialog] = useState<'secret' | 'rotate' | 'delete'>();
  const [status, setStatus] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  /** Takes the focus when the focused element is removed. */
  const focusHeading = () => heading.current?.focus();

  function showSecret(title: string, value: string) {
    setSecret({ title, secret: value });
    setDialog('secret');
    void refetch();
  }

  function choose(webhook: Webhook, next: 'rotate' | 'delete') {
    setStatus('');
    setChosen(webhook);
    setDialog(next);
  }

  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="webhooks">
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h3" id="webhooks" ref={heading} tabIndex={-1}>
            {isAdmin ? 'Webhooks of the company' : 'Your webhooks'}
          </Title>
          {!isCreating && (
            <Button
              onClick={() => {
                setStatus('');
                setIsCreating(true);
              }}
            >
              {action('createWebhook').label}
            </Button>
          )}
        </Group>
        <Text size="sm">
          A webhook is a URL that Premises sends changes to, as signed POST requests. It only receives what its owner
          may read.
          {isAdmin && ' You can turn off and delete those of others, and see their failures, but not what they sent.'}
        </Text>
        {isCreating && (
          <WebhookForm
            onCancel={() => {
              setIsCreating(false);
              focusHeading();
            }}
            onSave={(created = '') => {
              setIsCreating(false);
              showSecret('Webhook created', created);
            }}
          />
        )}
        {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
        {!webhooks && !error && <LoadingSkeleton />}
        <Text role="status" size="sm">
          {status}
        </Text>
        {webhooks?.length === 0 && <Text c="dimmed">No webhooks yet.</Text>}
        {webhooks && webhooks.length > 0 && (
          <Stack component="ul" className="list" gap={0} aria-labelledby="webhooks">
            {webhooks.map((webhook) => (
              <li key={webhook.id}>
                <WebhookRow
                  webhook={webhook}
                  onChange={async (message) => {
                    await refetch();
                    setStatus(message);
                  }}
                  onSent={refetch}
                  onRotate={() => choose(webhook, 'rotate')}
                  onDelete={() => choose(webhook, 'delete')}
                />
              </li>
            ))}
          </Stack>
        )}
      </Stack>
      <SecretDialog
        {...secret}
        text="Copy the secret now. You won't be able to see it again."
        label="Secret"
        description="Your receiver verifies messages with it, as Standard Webhooks specify."
        opened={dialog === 'secret'}
        onClose={() => setDialog(undefined)}
        onClosed={() => {
          setSecret({ title: '', secret: '' });
          focusHeading();
        }}
      />
      <ConfirmDialog
        title={`Rotate the secret of ${chosen?.name}?`}
        text="You get a new secret. For 24 hours messages are signed with both secrets, then only with the new one."
        label={action('rotateWebhookSecret').label}
        errorTitle="Couldn't rotate the secret"
        opened={dialog === 'rotate'}
        onClose={() => setDialog(undefined)}
        action={async () => {
          if (chosen) showSecret('Secret rotated', await rotateWebhookSecret(chosen.id));
        }}
      />
      <ConfirmDialog
        title={`Delete ${chosen?.name}?`}
        text="Its URL gets no more messages, and its log of deliveries is deleted. This can't be undone."
        label={action('deleteWebhook').label}
        color="red"
        errorTitle="Couldn't delete the webhook"
        opened={dialog === 'delete'}
        onClose={() => setDialog(undefined)}
        onClosed={() => status && focusHeading()}
        action={async () => {
          if (!chosen) return;
          await deleteWebhook(chosen.id);
          setStatus(`${chosen.name} was deleted.`);
          setDialog(undefined);
          void refetch();
        }}
      />
    </Card>
  );
}
