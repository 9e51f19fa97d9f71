import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { useCallback } from 'react';
import { Refusal } from '../api.ts';
import { Act } from '../components/Act.tsx';
import { Failure } from '../components/Failure.tsx';
import { GuestFrame } from '../components/GuestFrame.tsx';
import { Waiting } from '../components/SignedIn.tsx';
import { useAnswer } from '../components/useAnswer.ts';
import { useTitle } from '../components/useTitle.ts';
import { calendarDay, day, number, words } from '../components/words.ts';
import { type Announced, follow } from '../guests/packages.ts';

const token = location.pathname.split('/')[2] ?? '';
const steps = ['expected', 'received', 'collected'] as const;
const inWords = { expected: 'It is expected', received: 'It has arrived', collected: 'It was collected' };

/** Where a package is, for the guest who has announced it. */
export default function PackageStatus() {
  useTitle('Your package');
  const { answer, error, waiting, refresh } = useAnswer(useCallback(() => follow(token), []));
  const unknown = error instanceof Refusal && ['NOT_FOUND', 'BAD_REQUEST'].includes(error.code);
  return (
    <GuestFrame>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            Your package
          </Title>
          {unknown && (
            <Failure title="There is no such package" takeFocus={false}>
              The link may be incomplete. Open it from where you have kept it, or ask whoever invited you.
            </Failure>
          )}
          {error && !unknown && <Failure takeFocus={false}>{error.message}</Failure>}
          {!answer && !error && <Waiting />}
          {answer && !error && <Where {...answer} />}
          {!unknown && (
            <Act variant="default" busy={waiting && answer !== undefined} onClick={refresh}>
              Look again
            </Act>
          )}
        </Stack>
      </Card>
      <Text size="sm" mt="md" ta="center">
        <Anchor href="/packages">Announce another package</Anchor>
      </Text>
    </GuestFrame>
  );
}

function Where({ status, received_at, created_at, company_name, ...said }: Announced) {
  const reached = steps.indexOf(status);
  const when = { expected: `announced ${day(created_at)}`, received: received_at && day(received_at), collected: null };
  const facts: [label: string, value: string | null][] = [
    ['For', `${said.guest_name}, ${said.guest_email}`],
    ['At', company_name],
    ['What', said.description],
    ['From', said.vendor_name],
    ['Tracking number', said.tracking_number],
    ['Expected on', said.expected_date && calendarDay(said.expected_date)],
    ['Parcels', said.quantity === null ? null : number(said.quantity)],
    ['Notes', said.notes],
  ];
  return (
    <>
      <Text role="status" fw={700} size="lg">
        {inWords[status]}.
      </Text>
      <ol className="way" aria-label="Its way">
        {steps.map((step, index) => (
          <li
            key={step}
            className={index <= reached ? 'reached' : undefined}
            aria-current={index === reached ? 'step' : undefined}
          >
            {words(step)}
            {index <= reached && when[step] && <Text size="sm">{when[step]}</Text>}
          </li>
        ))}
      </ol>
      <dl className="facts">
        {facts.map(
          ([label, value]) =>
            value !== null && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}
