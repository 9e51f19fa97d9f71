import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { formatFieldError } from '../format.ts';
import { t } from '../texts/components.ts';
import { ErrorAlert } from './ErrorAlert.tsx';
import { fieldErrorsOf, messageOf } from './problems.ts';
import { SubmitButton } from './SubmitButton.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  /** The label of the button that confirms. */
  readonly label: string;
  readonly color?: string;
  readonly errorTitle: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onClosed?: () => void;
  /** The label of a field that must be filled in, for what cannot be undone. */
  readonly entry?: string;
  /** Acts, and closes the dialog. @param entered the value of the field */
  readonly action: (entered: string) => Promise<void>;
}

/** Asks for confirmation, and acts. */
export function ConfirmDialog({ title, opened, onClose, onClosed, ...props }: ConfirmProps) {
  // An action that has begun cannot be canceled, and its end must not close the dialog that comes next.
  const [isPending, setIsPending] = useState(false);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title={title}
      centered
      closeOnEscape={!isPending}
      closeOnClickOutside={!isPending}
      closeButtonProps={{ 'aria-label': t('close'), disabled: isPending }}
    >
      <Confirmation key={title} {...props} onPending={setIsPending} onCancel={onClose} />
    </Modal>
  );
}

type ConfirmationProps = Pick<ConfirmProps, 'text' | 'label' | 'color' | 'errorTitle' | 'entry' | 'action'> & {
  readonly onPending: (isPending: boolean) => void;
  readonly onCancel: () => void;
};

function Confirmation({ text, label, color, errorTitle, entry, action, onPending, onCancel }: ConfirmationProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { entry: '' } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: action,
    onMutate: () => onPending(true),
    onSettled: () => onPending(false),
  });
  // The only field of the form.
  const [wrong] = Object.values(fieldErrorsOf(error));
  return (
    <form onSubmit={form.onSubmit(({ entry }) => mutate(entry))}>
      <Stack>
        <Text>{text}</Text>
        {entry && (
          <TextInput
            key={form.key('entry')}
            {...form.getInputProps('entry')}
            label={entry}
            name="entry"
            required
            withAsterisk={false}
            autoComplete="off"
            data-autofocus
            error={formatFieldError(t('this'), wrong)}
          />
        )}
        {error && (!entry || messageOf(error)) && <ErrorAlert title={errorTitle}>{error.message}</ErrorAlert>}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus={!entry || undefined} disabled={isPending} onClick={onCancel}>
            {t('cancel')}
          </Button>
          <SubmitButton color={color} isPending={isPending}>
            {label}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
