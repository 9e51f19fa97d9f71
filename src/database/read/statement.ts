import type { SqlModel } from './models.ts';

/** A statement while it is written: its values, and the tables that it reads. */
export class Statement {
  readonly values: unknown[] = [];
  readonly tables = new Set<string>();
  private aliases = 0;

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
}
