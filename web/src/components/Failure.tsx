import { Alert } from '@mantine/core';
import { useEffect, useRef } from 'react';

interface Props {
  readonly title?: string;
  /** Whether the keyboard is taken there: after something that the reader has done. */
  readonly takeFocus?: boolean;
  readonly children: string;
}

/** Says what went wrong; whoever cannot see it is told at once. */
export function Failure({ title = 'That did not work', takeFocus = true, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takeFocus) box.current?.focus();
  }, [takeFocus, children]);
  return (
    <Alert ref={box} tabIndex={-1} color="red" title={title} role="alert">
      {children}
    </Alert>
  );
}
