import type { SqlModel } from './models.ts';

/** A statement while it is written: its values, and the tables that it reads. */
export class Statement {
  readonly values: unknown[] = [];
  readonly tables = new Set<string>();
  private aliases = 0;
  private relations = 0;

  /** @param companyId the company of all rows, where it is known */
  constructor(readonly companyId?: string) {}

  /** Adds a value. @returns its placeholder, with its type */
  value(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }

  /** Names a use of a model's table. */
  alias({ table }: SqlModel): string {
    this.tables.add(table);
    return `t${this.aliases++}`;
  }

  /** Whether conditions on related rows are being written. */
  get isInside(): boolean {
    return this.relations > 0;
  }

  /** Writes conditions on related rows. */
  inside<Result>(write: () => Result): Result {
    this.relations += 1;
    const result = write();
    this.relations -= 1;
    return result;
  }
}
