import { Badge, Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { indentJson } from '../api/indent-json.ts';
import { type Delivery, deliveriesPageSize, listDeliveries, replayDelivery, type Webhook } from '../api/webhooks.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { useLabel, useMeta } from '../components/useMeta.ts';
import { formatNumber, formatTime } from '../format.ts';
import { t } from '../texts/webhooks.ts';
import { ReplaySpan } from './ReplaySpan.tsx';

/** How often (ms) the log is read while a message is due, and how many times in a row. */
const pollMs = 1500;
const maxPolls = 20;

interface Props {
  readonly id: string;
  readonly webhook: Webhook;
  /** Called when a message may have been sent, which can turn the webhook off. It must stay the same function. */
  readonly onSent: () => Promise<unknown>;
}

/** The log of deliveries of a webhook, a page at a time. */
export function Deliveries({ id, webhook, onSent }: Props) {
  // Only the owner sees bodies and has messages sent again.
  const isOwn = webhook.ownerName === undefined;
  const [before, setBefore] = useState<string>();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['deliveries', webhook.id, before],
    queryFn: () => listDeliveries(webhook.id, before),
    placeholderData: keepPreviousData,
    // It is opened to see what was sent last.
    staleTime: 0,
  });
  const [status, setStatus] = useState('');
  const polls = useRef(0);
  useEffect(() => {
    if (!webhook.enabled || isFetching || polls.current >= maxPolls || !data?.some(isDue)) return;
    const timer = setTimeout(() => {
      polls.current += 1;
      void refetch();
      void onSent();
    }, pollMs);
    return () => clearTimeout(timer);
  }, [webhook.enabled, isFetching, data, refetch, onSent]);

  function restart() {
    polls.current = 0;
    void refetch();
    void onSent();
  }

  return (
    <Stack component="section" id={id} gap="xs" ps="md" aria-labelledby={`${id}-title`}>
      <Group justify="space-between">
        <Title order={3} size="h5" id={`${id}-title`}>
          {t('deliveriesOfTheLast30Days')}
        </Title>
        <Button
          variant="default"
          size="xs"
          onClick={() => {
            setStatus('');
            restart();
          }}
        >
          {t('refresh')}
        </Button>
      </Group>
      {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
      {!data && !error && <LoadingSkeleton />}
      {data?.length === 0 && (
        <Text c="dimmed">{before === undefined ? t('noDeliveriesYet') : t('noEarlierDeliveries')}</Text>
      )}
      {data && data.length > 0 && (
        <Stack component="ul" className="list" gap={0} aria-labelledby={`${id}-title`}>
          {data.map((delivery) => (
            <li key={delivery.id}>
              <DeliveryRow
                delivery={delivery}
                isOwn={isOwn}
                webhookId={webhook.id}
                onReplay={() => {
                  setStatus(t('eventIsSentAgain', { event: delivery.event }));
                  restart();
                }}
              />
            </li>
          ))}
        </Stack>
      )}
      <Text role="status" size="sm">
        {status}
      </Text>
      {isOwn && (
        <details>
          <summary>{t('deliveriesOfATimeRange')}</summary>
          <ReplaySpan
            webhookId={webhook.id}
            onReplay={(count) => {
              setStatus(t('messagesSentAgain', { count }));
              restart();
            }}
          />
        </details>
      )}
      {(before !== undefined || data?.length === deliveriesPageSize) && (
        <Group gap="xs">
          {before !== undefined && (
            <Button variant="default" size="xs" onClick={() => setBefore(undefined)}>
              {t('newestDeliveries')}
            </Button>
          )}
          {data?.length === deliveriesPageSize && (
            <Button variant="default" size="xs" onClick={() => setBefore(data.at(-1)?.id)}>
              {t('earlierDeliveries')}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}

interface RowProps {
  readonly delivery: Delivery;
  readonly isOwn: boolean;
  readonly webhookId: string;
  readonly onReplay: () => void;
}

function DeliveryRow({ delivery, isOwn, webhookId, onReplay }: RowProps) {
  const { id, event, status, createdAt, request, answer, error } = delivery;
  const { label } = useMeta();
  const sendAgain = useLabel('replayWebhookDelivery');
  // The API calls it pending from its first attempt to its last.
  const isRetried = status === 'PENDING' && delivery.attemptedAt !== null && delivery.attempts > 0;
  const {
    mutate,
    isPending,
    error: failure,
  } = useMutation({ mutationFn: () => replayDelivery(webhookId, id), onSuccess: onReplay });
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="xs">
        <div>
          <Group gap="xs">
            <Text fw={600}>{event}</Text>
            {isRetried ? (
              <Badge color="red">{t('failing')}</Badge>
            ) : (
              <Badge variant="outline" color={colors[status]}>
                {label('WebhookDeliveryStatus', status)}
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {factsOf(delivery).join(' · ')}
          </Text>
          {error !== null && <Text size="sm">{error}</Text>}
          {status === 'SKIPPED' && <Text size="sm">{t('notSentAsTheOwnerMay')}</Text>}
        </div>
        {isOwn && (
          <Button
            variant="default"
            size="xs"
            disabled={isPending}
            aria-label={t('sendAgainEventOfCreatedAt', { sendAgain, event, createdAt: formatTime(createdAt) })}
            onClick={() => mutate()}
          >
            {sendAgain}
          </Button>
        )}
      </Group>
      {failure && <ErrorAlert title={t('couldntSendItAgain')}>{failure.message}</ErrorAlert>}
      {request !== null && (
        <details>
          <summary>{t('requestAndResponse')}</summary>
          <Body label={t('request')} text={request} />
          <Body label={t('response')} text={answer ?? ''} />
        </details>
      )}
    </>
  );
}

function Body({ label, text }: { label: string; text: string }) {
  return (
    <>
      <Text size="sm" fw={600} mt="xs">
        {label}
      </Text>
      {text === '' ? (
        <Text size="sm" c="dimmed">
          {t('empty')}
        </Text>
      ) : (
        <Code block tabIndex={0} aria-label={label} mah={320}>
          {indentJson(text)}
        </Code>
      )}
    </>
  );
}

const colors = { PENDING: 'gray', SUCCEEDED: 'cyan', FAILED: 'red', SKIPPED: 'gray' } as const;

function factsOf({ createdAt, attempts, answerStatus, durationMs, nextAt }: Delivery): string[] {
  return [
    formatTime(createdAt),
    t('attempts', { count: attempts }),
    ...(answerStatus === null ? [] : [t('responseAnswerStatus', { answerStatus })]),
    ...(durationMs === null ? [] : [t('milliseconds', { duration: formatNumber(durationMs) })]),
    ...(nextAt === null || attempts === 0 ? [] : [t('nextAttemptNextAt', { nextAt: formatTime(nextAt) })]),
  ];
}

/** Whether a message is sent within seconds, if it was not already. */
const isDue = ({ status, nextAt }: Delivery): boolean =>
  status === 'PENDING' && (nextAt === null || Date.parse(nextAt) < Date.now() + 15_000);
