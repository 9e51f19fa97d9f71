import { Alert } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { t } from '../texts/components.ts';
import { moveFocus } from './moveFocus.ts';

interface Props {
  readonly title?: string;
  /** Whether to move the focus to the alert: yes after an action of the reader, no when the page could not load. */
  readonly takeFocus?: boolean;
  readonly children: string;
}

/** An error message, which screen readers announce. */
export function ErrorAlert({ title = t('somethingWentWrong'), takeFocus = true, children }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takeFocus) moveFocus(ref.current, ref.current?.closest('form, section, main'));
  }, [takeFocus, children]);
  return (
    <Alert ref={ref} tabIndex={-1} color="red" title={title} role="alert">
      {children}
    </Alert>
  );
}
