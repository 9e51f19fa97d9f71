import { Button, type ButtonProps } from '@mantine/core';
import { type ComponentPropsWithoutRef, useEffect, useRef } from 'react';

/** A button of what takes a while, and is not to be done twice: meanwhile it is disabled, and afterwards has the keyboard again. */
export function Act({
  busy,
  ...props
}: { busy: boolean } & ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>) {
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const button = ref.current;
    // A browser takes the keyboard off what it disables, unless somebody has it elsewhere by then.
    return busy ? () => void (document.activeElement === document.body && button?.focus()) : undefined;
  }, [busy]);
  return <Button ref={ref} loading={busy} {...props} />;
}
