import type { FieldErrors } from '../errors.ts';

/** Limits the errors of one response (bytes of JSON), which stays small however many there are. */
const roomOfAnswer = () => ({ errors: 50, bytes: 30_000 });

/** Maximum length of a field name that an error repeats. */
const maxNameLength = 200;

/** Errors of an input, by field. */
export class InputErrors {
  // Without a prototype, as a client can name a field `__proto__`.
  readonly found = Object.create(null) as FieldErrors;
  isEmpty = true;

  /** @param room how much can be added, shared by the inputs of one response */
  constructor(private readonly room = roomOfAnswer()) {}

  /** Adds an error, if there is room for it. */
  add(field: string, message: string): void {
    if (this.isFull) return;
    const name = field.length > maxNameLength ? `${field.slice(0, maxNameLength)}…` : field;
    this.found[name] = message;
    this.isEmpty = false;
    this.room.errors -= 1;
    this.room.bytes -= Buffer.byteLength(JSON.stringify([name, message]));
  }

  /** Whether no more errors can be added, so that looking for them is pointless. */
  get isFull(): boolean {
    return this.room.errors <= 0 || this.room.bytes <= 0;
  }

  /** Errors of another input of the same response. */
  another(): InputErrors {
    return new InputErrors(this.room);
  }
}
