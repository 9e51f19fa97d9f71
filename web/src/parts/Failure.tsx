import { Alert } from '@mantine/core';
import { useEffect, useRef } from 'react';

/** Says what went wrong. Whoever cannot see it is told at once; whoever uses the keyboard is taken there. */
export function Failure({ title = 'That did not work', children }: { title?: string; children: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), [children]);
  return (
    <Alert ref={box} tabIndex={-1} color="red" title={title} role="alert">
      {children}
    </Alert>
  );
}
