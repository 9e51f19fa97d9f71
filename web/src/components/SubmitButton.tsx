import { Button, type ButtonProps } from '@mantine/core';
import { type ComponentPropsWithoutRef, useEffect, useRef } from 'react';

type Props = { isPending: boolean } & ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/**
 * A button that is disabled while its action is pending, and then regains the focus that browsers take from disabled
 * buttons.
 */
export function SubmitButton({ isPending, ...props }: Props) {
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const button = ref.current;
    // Only if nothing else has taken the focus meanwhile.
    return isPending ? () => void (document.activeElement === document.body && button?.focus()) : undefined;
  }, [isPending]);
  return <Button ref={ref} type="submit" loading={isPending} {...props} />;
}
