import { type RefObject, useEffect } from 'react';

/** Takes the keyboard, and whoever cannot see, to the first field of a form that has something wrong with it. */
export function useFirstFault(form: RefObject<HTMLFormElement | null>, fault: Error | undefined): void {
  useEffect(() => {
    if (fault) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [form, fault]);
}
