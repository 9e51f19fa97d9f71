import { useState } from 'react';
import { ApiError } from '../api/http.ts';

/** The state of an action, and a function that starts it. */
export interface Mutation<Args extends unknown[]> {
  readonly mutate: (...args: Args) => void;
  readonly isPending: boolean;
  readonly error?: ApiError;
  /** Errors by field; empty when the error is not about fields. */
  readonly fieldErrors: ApiError['details'];
  /** The message of an error that is not about fields. */
  readonly message?: string;
}

/** Runs an action such as submitting a form, and tracks whether it is pending or has failed. */
export function useMutation<Args extends unknown[]>(action: (...args: Args) => Promise<unknown>): Mutation<Args> {
  const [{ isPending, error }, setState] = useState<{ isPending: boolean; error?: ApiError }>({ isPending: false });
  function mutate(...args: Args) {
    setState({ isPending: true });
    action(...args).then(
      () => setState({ isPending: false }),
      (cause: unknown) => setState({ isPending: false, error: toApiError(cause) }),
    );
  }
  const fieldErrors = error?.details ?? {};
  const message = Object.keys(fieldErrors).length === 0 ? error?.message : undefined;
  return { mutate, isPending, error, fieldErrors, message };
}

const toApiError = (cause: unknown) => (cause instanceof ApiError ? cause : new ApiError(String(cause), 'UNKNOWN'));
