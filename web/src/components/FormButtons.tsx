import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../texts/components.ts';
import { SubmitButton } from './SubmitButton.tsx';

interface FormButtonsProps {
  /** The text of the button that submits the form. */
  readonly children: ReactNode;
  readonly isPending: boolean;
  readonly onCancel: () => void;
}

/** The buttons at the end of a form that can be canceled. */
export const FormButtons = ({ children, isPending, onCancel }: FormButtonsProps) => (
  <Group>
    <SubmitButton isPending={isPending}>{children}</SubmitButton>
    <Button variant="default" disabled={isPending} onClick={onCancel}>
      {t('cancel')}
    </Button>
  </Group>
);
