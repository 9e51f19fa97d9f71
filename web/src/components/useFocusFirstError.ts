import { type RefObject, useEffect } from 'react';

/** Moves the focus to a form's first invalid field after an error. */
export function useFocusFirstError(form: RefObject<HTMLFormElement | null>, error: Error | undefined): void {
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [form, error]);
}
