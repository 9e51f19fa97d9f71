import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Tag, useWrite } from '../../console/Place.tsx';
import { t } from '../../texts/places-mailroom.ts';
import { Trans } from '../../texts/Trans.tsx';
import { addShipment, type Outcome } from './receive.ts';

/** A scan of this visit. */
export interface Scan {
  readonly key: number;
  readonly code: string;
  readonly outcome?: Outcome;
  readonly problem?: string;
}

/** What the scans of this visit led to, the latest first. */
export function Scans({ scans }: { readonly scans: readonly Scan[] }) {
  return (
    <div aria-live="polite">
      <ul className="list" aria-label={t('scannedJustNow')}>
        {scans.map((scan) => (
          <li key={scan.key}>
            <OneScan scan={scan} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function OneScan({ scan: { code, outcome, problem } }: { readonly scan: Scan }) {
  if (problem) return <Alert color="red" title={t('codeWasNotReceived', { code })} children={problem} />;
  if (!outcome) return <Text>{code} …</Text>;
  const { received, known } = outcome;
  if (received.length + known.length === 0) return <Unexpected code={code} />;
  return (
    <Stack gap={2}>
      {received.map((name) => (
        <Group key={name} gap="xs">
          <Tag color="green">{t('received')}</Tag>
          <Text>{name}</Text>
        </Group>
      ))}
      {known.map((name) => (
        <Group key={name} gap="xs">
          <Tag>{t('receivedBefore')}</Tag>
          <Text>{name}</Text>
        </Group>
      ))}
      <Text size="sm" c="dimmed">
        {code}
      </Text>
    </Stack>
  );
}

/** A parcel that nobody expected: for whom it is makes it a shipment. */
function Unexpected({ code }: { readonly code: string }) {
  const [recipient, setRecipient] = useState('');
  const [description, setDescription] = useState('');
  const { mutate, isPending, isSuccess } = useWrite({
    run: addShipment,
    done: (given) => t('receivedForRecipient', { recipient: given.recipient }),
    problem: t('couldntAddTheShipment'),
  });
  if (isSuccess)
    return (
      <Group gap="xs">
        <Tag color="green">{t('received')}</Tag>
        <Text>{t('codeForRecipient', { code, recipient })}</Text>
      </Group>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ trackingNumber: code, recipient: recipient.trim(), description: description.trim() });
      }}
    >
      <Stack gap="xs">
        <Text>
          <Trans t={t} name="nobodyExpectedCodeTheScanIs" values={{ code }} components={{ b: <b /> }} />
        </Text>
        <Group align="end" gap="xs">
          <TextInput
            label={t('recipient')}
            required
            value={recipient}
            onChange={({ currentTarget }) => setRecipient(currentTarget.value)}
          />
          <TextInput
            label={t('contents')}
            value={description}
            onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={isPending} disabled={recipient.trim() === ''}>
            {t('addShipment')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
