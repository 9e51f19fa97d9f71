import { type RefObject, useEffect } from 'react';

/** Moves the focus to the first invalid field of a form when the form was refused. */
export function useFocusFirstError(form: RefObject<HTMLFormElement | null>, error: Error | undefined): void {
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [form, error]);
}
