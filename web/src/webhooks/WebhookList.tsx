import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { deleteWebhook, listWebhooks, rotateWebhookSecret, type Webhook } from '../api/webhooks.ts';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { SecretDialog } from '../components/SecretDialog.tsx';
import { useMeta } from '../components/useMeta.ts';
import { t } from '../texts/webhooks.ts';
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
            {isAdmin ? t('webhooksOfTheCompany') : t('yourWebhooks')}
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
        <Text size="sm">{t(isAdmin ? 'aboutWebhooksForAdmins' : 'aboutWebhooks')}</Text>
        {isCreating && (
          <WebhookForm
            onCancel={() => {
              setIsCreating(false);
              focusHeading();
            }}
            onSave={(created = '') => {
              setIsCreating(false);
              showSecret(t('webhookCreated'), created);
            }}
          />
        )}
        {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
        {!webhooks && !error && <LoadingSkeleton />}
        <Text role="status" size="sm">
          {status}
        </Text>
        {webhooks?.length === 0 && <Text c="dimmed">{t('noWebhooksYet')}</Text>}
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
        text={t('copyTheSecretNowYouWont')}
        label={t('secret')}
        description={t('yourReceiverVerifiesMessagesWithIt')}
        opened={dialog === 'secret'}
        onClose={() => setDialog(undefined)}
        onClosed={() => {
          setSecret({ title: '', secret: '' });
          focusHeading();
        }}
      />
      <ConfirmDialog
        title={t('rotateTheSecretOfName', { name: chosen?.name })}
        text={t('youGetANewSecretFor')}
        label={action('rotateWebhookSecret').label}
        errorTitle={t('couldntRotateTheSecret')}
        opened={dialog === 'rotate'}
        onClose={() => setDialog(undefined)}
        action={async () => {
          if (chosen) showSecret(t('secretRotated'), await rotateWebhookSecret(chosen.id));
        }}
      />
      <ConfirmDialog
        title={t('deleteName', { name: chosen?.name })}
        text={t('itsURLGetsNoMoreMessages')}
        label={action('deleteWebhook').label}
        color="red"
        errorTitle={t('couldntDeleteTheWebhook')}
        opened={dialog === 'delete'}
        onClose={() => setDialog(undefined)}
        onClosed={() => status && focusHeading()}
        action={async () => {
          if (!chosen) return;
          await deleteWebhook(chosen.id);
          setStatus(t('nameWasDeleted', { name: chosen.name }));
          setDialog(undefined);
          void refetch();
        }}
      />
    </Card>
  );
}
