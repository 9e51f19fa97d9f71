import { Alert, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Section } from '../../console/Place.tsx';
import { formatTime } from '../../format.ts';
import { fromClockTime, toClockTime } from '../../reader-time.ts';
import { operationOf } from '../../taps/operations.ts';
import type { Tap } from '../../taps/store.ts';
import type { TapActions } from '../../taps/useTaps.ts';
import { t } from '../../texts/places-my-day.ts';
import type { Tapping } from './Work.tsx';

/** What was not sent yet, and what was refused. */
export function Taps({ taps, actions }: Tapping) {
  const [edited, setEdited] = useState<Tap>();
  const waiting = taps.filter(({ problem }) => problem === undefined).length;
  return (
    <>
      <Text role="status">{waiting > 0 && t('tapsWait', { count: waiting })}</Text>
      {taps.length > 0 && (
        <Section title={t('notSentYet')}>
          <ul className="list">
            {taps.map((tap) => (
              <li key={tap.order}>
                <OneTap tap={tap} actions={actions} onEdit={() => setEdited(tap)} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {edited && <EditTap key={edited.order} tap={edited} actions={actions} onClose={() => setEdited(undefined)} />}
    </>
  );
}

function OneTap({ tap, actions, onEdit }: { tap: Tap; actions: TapActions; onEdit: () => void }) {
  const { label, at, problem, name } = tap;
  const { time, hasNotes } = operationOf(name);
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Stack gap={2} style={{ flex: '1 1 14rem' }}>
          <Text fw={600}>{label}</Text>
          <Text size="sm">{formatTime(at)}</Text>
        </Stack>
        {problem !== undefined && (
          <Button variant="default" onClick={() => void actions.retry(tap)} aria-label={t('retryLabel', { label })}>
            {t('retry')}
          </Button>
        )}
        {problem !== undefined && (time || hasNotes) && (
          <Button variant="default" onClick={onEdit} aria-label={t('editLabel', { label })}>
            {t('edit')}
          </Button>
        )}
        <Button variant="default" onClick={() => void actions.discard(tap)} aria-label={t('discardLabel', { label })}>
          {t('discard')}
        </Button>
      </Group>
      {problem !== undefined && (
        <Alert color="red" title={t('refused')}>
          {problem}
        </Alert>
      )}
    </Stack>
  );
}

function EditTap({ tap, actions, onClose }: { tap: Tap; actions: TapActions; onClose: () => void }) {
  const { time, hasNotes } = operationOf(tap.name);
  const { input } = tap.variables;
  const [at, setAt] = useState(() => (time ? toClockTime(String(input[time])) : ''));
  const [notes, setNotes] = useState(() => (typeof input['notes'] === 'string' ? input['notes'] : ''));
  return (
    <Modal
      opened
      onClose={onClose}
      title={tap.label}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const isTime = time !== undefined && at !== '';
          void actions.retry(tap, {
            ...input,
            ...(isTime && { [time]: fromClockTime(at) }),
            ...(hasNotes && { notes: notes || null }),
          });
          onClose();
        }}
      >
        <Stack>
          {time && (
            <TextInput
              type="datetime-local"
              label={t('time')}
              required
              value={at}
              onChange={({ currentTarget }) => setAt(currentTarget.value)}
            />
          )}
          {hasNotes && (
            <Textarea
              label={t('notes')}
              autosize
              value={notes}
              onChange={({ currentTarget }) => setNotes(currentTarget.value)}
            />
          )}
          <Group>
            <Button type="submit">{t('sendAgain')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
