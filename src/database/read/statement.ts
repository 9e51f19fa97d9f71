import type { ListFigure } from './list-figure.ts';
import type { Models, SqlModel } from './models.ts';
import { noFilter, type RowFilter, type StatementAccess } from './row-access.ts';
import { modelOf } from './schema-models.ts';
import { Slot } from './slot.ts';

/** A statement while it is written: its values, the tables that it reads, and which of their rows. */
export class Statement {
  readonly values: unknown[] = [];
  readonly tables = new Set<string>();
  private aliases = 0;
  private relations = 0;
  /** Finds the models of its tables. */
  readonly modelOf: Models;
  /** The placeholder of the company, which the whole statement shares. */
  private company: string | undefined;
  private filterOf: RowFilter;
  /** The SQL of what is computed of lists, by the alias of the rows that have them, where it was joined to the rows. */
  readonly joinedFigures = new Map<string, (figure: ListFigure) => string>();

  /** @param access which rows it reads; a statement without it only writes, and opens no table */
  constructor(
    private readonly access?: StatementAccess,
    models: Models = access?.models ?? modelOf,
  ) {
    this.modelOf = models;
    this.filterOf = access?.filterOf ?? noFilter;
  }

  /**
   * Adds a value.
   *
   * @param encode converts it to what the database is sent
   * @returns its placeholder, with its type
   */
  value(value: unknown, type: string, encode: (value: unknown) => unknown = (given) => given): string {
    this.values.push(value instanceof Slot ? value.encoded(encode) : encode(value));
    return `$${this.values.length}::${type}`;
  }

  /** Names a use of a model's table. */
  alias({ table }: SqlModel): string {
    this.tables.add(table);
    return `t${this.aliases++}`;
  }

  /** The company of all rows that are read. @throws Error where the statement has no access */
  get companySql(): string {
    if (!this.access) throw new Error('A statement without access reads no table.');
    return (this.company ??= this.value(this.access.companyId, 'uuid'));
  }

  /** The user whose companies can be read, if they can be several. */
  get memberId(): string | Slot | undefined {
    return this.access?.memberId;
  }

  /** The row filter of a model. */
  rowFilter({ name }: SqlModel, type: string | undefined) {
    return this.filterOf(name, type);
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

  /** Writes a part in which tables have other row filters. */
  filteredBy<Result>(filterOf: RowFilter, write: () => Result): Result {
    const outer = this.filterOf;
    this.filterOf = filterOf;
    const result = write();
    this.filterOf = outer;
    return result;
  }
}
