import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { sendTestWebhook, updateWebhook, type Webhook } from '../api/webhooks.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { moveFocus } from '../components/moveFocus.ts';
import { useLabel, useMeta } from '../components/useMeta.ts';
import { formatDay, formatTime } from '../format.ts';
import { Trans } from '../texts/Trans.tsx';
import { t } from '../texts/webhooks.ts';
import { Deliveries } from './Deliveries.tsx';
import { WebhookForm } from './WebhookForm.tsx';

interface Props {
  readonly webhook: Webhook;
  /** Called after a change, with a message that describes it. Resolves once the list shows the change. */
  readonly onChange: (message: string) => Promise<void>;
  /** Called when a message may have been sent, which can turn the webhook off. */
  readonly onSent: () => Promise<unknown>;
  readonly onRotate: () => void;
  readonly onDelete: () => void;
}

/** A webhook with what can be done to it, and its log of deliveries when that is open. */
export function WebhookRow({ webhook, onChange, onSent, onRotate, onDelete }: Props) {
  const { id, name, enabled, ownerName } = webhook;
  // Admins can only turn off and delete those of others.
  const isOwn = ownerName === undefined;
  const [isOpen, setIsOpen] = useState(false);
  const [isEditing, setIsEditing] = useState(false);
  const form = useRef<HTMLDivElement>(null);
  const editButton = useRef<HTMLButtonElement>(null);
  // Counts test events, each of which is a reason to read the log again.
  const [tests, setTests] = useState(0);
  const logId = useId();
  const { mutate, isPending, error } = useMutation({ mutationFn: (action: () => Promise<unknown>) => action() });
  function endEditing() {
    setIsEditing(false);
    moveFocus(editButton.current, form.current);
  }
  const [testLabel, rotateLabel, deleteLabel] = [
    useLabel('sendTestWebhook'),
    useLabel('rotateWebhookSecret'),
    useLabel('deleteWebhook'),
  ];
  const buttonProps = { variant: 'default', size: 'xs', disabled: isPending };
  return (
    <Stack gap="xs">
      <Summary webhook={webhook} />
      <Group gap="xs">
        <Button
          {...buttonProps}
          aria-label={t('deliveriesOfName', { name })}
          aria-expanded={isOpen}
          aria-controls={isOpen ? logId : undefined}
          onClick={() => setIsOpen(!isOpen)}
        >
          {t('deliveries')}
        </Button>
        {isOwn && (
          <>
            <Button
              {...buttonProps}
              aria-label={`${testLabel}: ${name}`}
              onClick={() =>
                mutate(async () => {
                  await sendTestWebhook(id);
                  setIsOpen(true);
                  setTests(tests + 1);
                  await onChange(enabled ? t('aTestEventIsSentTo', { name }) : t('aTestEventIsSentWhen', { name }));
                })
              }
            >
              {testLabel}
            </Button>
            <Button
              {...buttonProps}
              ref={editButton}
              aria-label={t('editName', { name })}
              onClick={() => setIsEditing(true)}
            >
              {t('edit')}
            </Button>
          </>
        )}
        {(isOwn || enabled) && (
          <Button
            {...buttonProps}
            aria-label={t(enabled ? 'turnOffName' : 'turnOnName', { name })}
            onClick={() =>
              mutate(async () => {
                await updateWebhook(id, { enabled: !enabled });
                await onChange(t(enabled ? 'nameIsOff' : 'nameIsOn', { name }));
              })
            }
          >
            {enabled ? t('turnOff') : t('turnOn')}
          </Button>
        )}
        {isOwn && (
          <Button {...buttonProps} aria-label={`${rotateLabel}: ${name}`} onClick={onRotate}>
            {rotateLabel}
          </Button>
        )}
        <Button {...buttonProps} aria-label={`${deleteLabel}: ${name}`} onClick={onDelete}>
          {deleteLabel}
        </Button>
      </Group>
      {error && <ErrorAlert title={t('couldntChangeName', { name })}>{error.message}</ErrorAlert>}
      {isEditing && (
        <div ref={form}>
          <WebhookForm
            webhook={webhook}
            onCancel={endEditing}
            onSave={async () => {
              // A form that is opened again begins with what was saved.
              await onChange(t('nameWasChanged', { name }));
              endEditing();
            }}
          />
        </div>
      )}
      {isOpen && <Deliveries key={tests} id={logId} webhook={webhook} onSent={onSent} />}
    </Stack>
  );
}

function Summary({ webhook }: { webhook: Webhook }) {
  const { label } = useMeta();
  const { name, url, live, enabled, resources, actions, filter, selection, ownerName } = webhook;
  const { createdAt, failingSince, lastFailure, previousSecretUntil, switchedOffReason } = webhook;
  const facts = [
    t(ownerName === undefined ? 'created' : 'createdBy', { day: formatDay(createdAt), ownerName }),
    ...(previousSecretUntil !== null && !isPast(previousSecretUntil)
      ? [t('alsoSignedWithThePreviousSecret', { previousSecretUntil: formatTime(previousSecretUntil) })]
      : []),
  ];
  return (
    <div>
      <Group gap="xs">
        <Text fw={600}>{name}</Text>
        <Badge variant="outline" color={enabled ? 'cyan' : 'red'}>
          {enabled ? t('on2') : t('off2')}
        </Badge>
        {failingSince !== null && <Badge color="red">{t('failing')}</Badge>}
        <Badge variant="outline" color={live ? 'cyan' : 'gray'}>
          {live ? t('live') : t('sandbox')}
        </Badge>
      </Group>
      <Text size="sm">{url}</Text>
      <Text size="sm">
        {resources.length === 0
          ? t('allResources')
          : resources.map((name) => label('ChangedResource', name)).join(', ')}{' '}
        · {actions.length === 0 ? t('allActions') : actions.map((name) => label('ChangeAction', name)).join(', ')}
      </Text>
      {filter !== null && (
        <Text size="sm">
          <Trans t={t} name="filterFilter" values={{ filter }} components={{ code: <Code /> }} />
        </Text>
      )}
      {selection !== null && (
        <Text size="sm">
          <Trans t={t} name="fieldsSelection" values={{ selection }} components={{ code: <Code /> }} />
        </Text>
      )}
      {switchedOffReason !== null && (
        <Text size="sm">{t('turnedOffByTheServiceSwitchedOffReason', { switchedOffReason })}</Text>
      )}
      {failingSince !== null && (
        <Text size="sm" className="failure">
          {t('failingSince', { time: formatTime(failingSince) })}
          {lastFailure && ` ${describeFailure(lastFailure, enabled)}`}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {facts.join(' · ')}
      </Text>
    </div>
  );
}

/** What failed last, how often, why, and when it is tried again. */
function describeFailure(
  { event, attempts, answerStatus, error, nextAt }: NonNullable<Webhook['lastFailure']>,
  enabled: boolean,
): string {
  const reason = error ?? t('theReceiverRespondedWithAnswerStatus', { answerStatus });
  const next =
    nextAt === null
      ? t('itIsNotTriedAgain')
      : enabled
        ? t('nextAttemptNextAt2', { nextAt: formatTime(nextAt) })
        : t('itIsTriedAgainWhenThe');
  return t('lastFailure', { event, count: attempts, reason, next });
}

const isPast = (time: string): boolean => Date.parse(time) < Date.now();
