import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Tag, useWrite } from '../../console/Place.tsx';
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
      <ul className="list" aria-label="Scanned just now">
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
  if (problem) return <Alert color="red" title={`${code} was not received`} children={problem} />;
  if (!outcome) return <Text>{code} …</Text>;
  const { received, known } = outcome;
  if (received.length + known.length === 0) return <Unexpected code={code} />;
  return (
    <Stack gap={2}>
      {received.map((name) => (
        <Group key={name} gap="xs">
          <Tag color="green">Received</Tag>
          <Text>{name}</Text>
        </Group>
      ))}
      {known.map((name) => (
        <Group key={name} gap="xs">
          <Tag>Received before</Tag>
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
    done: (given) => `Received for ${given.recipient}.`,
    problem: "Couldn't add the shipment",
  });
  if (isSuccess)
    return (
      <Group gap="xs">
        <Tag color="green">Received</Tag>
        <Text>
          {code} for {recipient}
        </Text>
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
          Nobody expected <b>{code}</b>. The scan is recorded. Who is it for?
        </Text>
        <Group align="end" gap="xs">
          <TextInput
            label="Recipient"
            required
            value={recipient}
            onChange={({ currentTarget }) => setRecipient(currentTarget.value)}
          />
          <TextInput
            label="Contents"
            value={description}
            onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={isPending} disabled={recipient.trim() === ''}>
            Add shipment
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
