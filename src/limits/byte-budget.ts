/** How many bytes a request's statements may receive from the database, so that it takes a bounded amount of memory. */
export class ByteBudget {
  /**
   * @param left the number of bytes
   * @param error what statements fail with once they have received more
   */
  constructor(
    private left: number,
    readonly error: Error,
  ) {}

  get isExceeded(): boolean {
    return this.left < 0;
  }

  /** Counts received bytes. @returns whether they are still within the budget */
  take(bytes: number): boolean {
    this.left -= bytes;
    return !this.isExceeded;
  }
}
