import { t } from '../texts/console.ts';
import '@mantine/notifications/styles.css';
import { Button, Group } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';

/** For how long (ms) a notice is shown that is no problem: time enough to read it and to take a change back. */
const shownMs = 12_000;

const closeButtonProps = () => ({ 'aria-label': t('close') });

/** The notices of the page. */
export default function NoticeList() {
  return <Notifications position="bottom-right" />;
}

/** Says that something was done. @param undo what takes it back */
export function addDone(text: string, undo?: () => Promise<unknown>): void {
  const id = notifications.show({
    message: (
      <Group justify="space-between" gap="xs">
        {text}
        {undo && (
          <Button size="compact-sm" variant="default" onClick={() => takeBack(id, undo)}>
            {t('undo')}
          </Button>
        )}
      </Group>
    ),
    // It does not interrupt what a screen reader says; a problem does.
    role: 'status',
    autoClose: shownMs,
    withBorder: true,
    closeButtonProps: closeButtonProps(),
  });
}

/** Says that something was not done, and why. */
export function addProblem(text: string, error: Error): void {
  const message = `${text}: ${error.message}`;
  notifications.show({
    message,
    color: 'red',
    autoClose: false,
    withBorder: true,
    closeButtonProps: closeButtonProps(),
  });
}

function takeBack(id: string, undo: () => Promise<unknown>) {
  notifications.hide(id);
  undo().then(
    () => addDone(t('takenBack')),
    (error: Error) => addProblem(t('couldntTakeItBack'), error),
  );
}
