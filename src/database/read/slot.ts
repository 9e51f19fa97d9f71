/** The place of a value in a statement that is compiled for all values. */
export class Slot {
  /**
   * @param place of the value among those of a request
   * @param isShort whether it is so short a text that `shortPattern` finds it
   * @param encode converts the value to what the database is sent
   */
  constructor(
    private readonly place: number,
    readonly isShort = false,
    private readonly encode: (value: unknown) => unknown = (value) => value,
  ) {}

  /** Conditions take objects for operators. */
  get [Symbol.toStringTag](): string {
    return 'Slot';
  }

  /** The same place, whose values are converted. */
  encoded(encode: (value: unknown) => unknown): Slot {
    return new Slot(this.place, this.isShort, encode);
  }

  /** The value of the place, as the database is sent it. */
  fill(values: readonly unknown[]): unknown {
    return this.encode(values[this.place]);
  }
}
