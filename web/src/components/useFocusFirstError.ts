import { type RefObject, useEffect } from 'react';
import { moveFocus } from './moveFocus.ts';

/** Moves the focus to a form's first invalid field after an error. */
export function useFocusFirstError(form: RefObject<HTMLFormElement | null>, error: Error | null): void {
  useEffect(() => {
    if (error) moveFocus(form.current?.querySelector<HTMLElement>('[aria-invalid=true]') ?? null, form.current);
  }, [form, error]);
}
