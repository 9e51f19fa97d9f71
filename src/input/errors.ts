import type { FieldErrors } from '../errors.ts';

/** Limits the errors of one response, which stays small however much is wrong. */
const roomOfAnswer = () => ({ errors: 50, characters: 20_000 });

/** The longest name of a field that an error repeats. */
const maxNameLength = 200;

/** What is wrong with an input, by field. */
export class InputErrors {
  // Without a prototype: a client may call a field anything, `__proto__` too.
  readonly found = Object.create(null) as FieldErrors;
  isEmpty = true;

  /** @param room how much can be added, shared by the inputs that one answer is about */
  constructor(private readonly room = roomOfAnswer()) {}

  /** Adds an error, if there is room for it. */
  add(field: string, message: string): void {
    if (this.isFull) return;
    const name = field.length > maxNameLength ? `${field.slice(0, maxNameLength)}…` : field;
    this.found[name] = message;
    this.isEmpty = false;
    this.room.errors -= 1;
    this.room.characters -= name.length + message.length;
  }

  /** Whether there is no room for another error, and so no use in looking further. */
  get isFull(): boolean {
    return this.room.errors <= 0 || this.room.characters <= 0;
  }

  /** Errors of another input that the same answer is about. */
  another(): InputErrors {
    return new InputErrors(this.room);
  }
}
