import type { Definition } from '../definitions.ts';

/** A choice of how the list is shown. */
export interface ChoiceProps<T> {
  readonly definition: Definition;
  readonly onChange: (value: T | undefined) => void;
}
