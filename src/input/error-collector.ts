import type { FieldErrors } from '../errors.ts';

/**
 * How many errors one response can have, and how long they are (bytes of JSON): it stays small however many there are.
 */
const createErrorBudget = () => ({ errors: 50, bytes: 30_000 });

/** Maximum length of a field name that an error repeats. */
const maxNameLength = 200;

/** Collects the errors of an input, by field. */
export class ErrorCollector {
  // Without a prototype, as a client can name a field `__proto__`.
  readonly found = Object.create(null) as FieldErrors;
  isEmpty = true;

  /** @param budget how much can be added, shared by the inputs of one response */
  constructor(private readonly budget = createErrorBudget()) {}

  /** Adds an error, if there is room for it. */
  add(field: string, message: string): void {
    if (this.isFull) return;
    const name = field.length > maxNameLength ? `${field.slice(0, maxNameLength)}…` : field;
    this.found[name] = message;
    this.isEmpty = false;
    this.budget.errors -= 1;
    this.budget.bytes -= Buffer.byteLength(JSON.stringify([name, message]));
  }

  /** Whether no more errors can be added, so that looking for them is pointless. */
  get isFull(): boolean {
    return this.budget.errors <= 0 || this.budget.bytes <= 0;
  }

  /** Creates a collector for another input of the same response. */
  another(): ErrorCollector {
    return new ErrorCollector(this.budget);
  }
}
