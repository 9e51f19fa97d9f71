// The hours of rows between and in their statuses, from the periods that are kept of them.
import { allOf, type Opened, open } from './conditions.ts';
import type { StatusHoursValue } from './group-query.ts';
import { type SqlModel } from './models.ts';
import type { Statement } from './statement.ts';

/** The hours that a statement measures of the statuses of a model's rows, each once. */
export class StatusHours {
  /** Each value by what it measures. */
  private readonly values = new Map<string, { readonly column: string; readonly value: StatusHoursValue }>();

  constructor(
    private readonly statement: Statement,
    private readonly model: SqlModel,
  ) {}

  /** Adds a value. @returns its column in `sql` */
  column(value: StatusHoursValue): string {
    // Hours until now are the same for all values of a statement, however long it takes to read what it selects.
    const key = JSON.stringify({ ...value, until: undefined });
    const known = this.values.get(key) ?? { column: `h${this.values.size}`, value };
    this.values.set(key, known);
    return known.column;
  }

  /**
   * A query for the values of each row, by its `id`: of all rows in one step.
   *
   * @param openRows opens the table of the measured rows; without it they are all of the company
   * @returns undefined if nothing was added
   */
  sql(openRows?: (alias: string) => Opened): string | undefined {
    if (this.values.size === 0) return undefined;
    const periods = this.statement.modelOf('StatusPeriod');
    const [row, period] = [this.statement.alias(this.model), this.statement.alias(periods)];
    const all = [...this.values.values()];
    const hours = all.map(({ column, value }) => `${this.hoursSql(value, period)} AS ${column}`).join(', ');
    const statuses = all.flatMap(({ value }) =>
      value.kind === 'hoursInStatus' ? [value.status] : [value.from, value.to],
    );
    const stored = [...new Set(statuses)].map((status) => this.storedStatus(status));
    const isMeasured =
      `${period}.table_name = '${this.model.table}' AND ` +
      `${period}.status = ANY(${this.statement.value(stored, 'text[]')})`;
    // Its rows are not listed: whose periods they are was decided.
    const opened = open(this.statement, periods, period, null);
    const ofPeriods = [...opened.conditions, isMeasured];
    const rows = openRows?.(row);
    const counted = rows
      ? `SELECT ${row}.id, ${hours} FROM ${rows.from} ` +
        `JOIN ${opened.from} ON ${allOf([...ofPeriods, `${period}.row_id = ${row}.id`])} ` +
        `WHERE ${allOf(rows.conditions)} GROUP BY ${row}.id`
      : `SELECT ${period}.row_id AS id, ${hours} FROM ${opened.from} WHERE ${allOf(ofPeriods)} GROUP BY ${period}.row_id`;
    // MATERIALIZED, as otherwise each parallel worker would compute all hours.
    return `WITH counted AS MATERIALIZED (${counted}) SELECT * FROM counted`;
  }

  /** The hours of one row, whose periods are aggregated. */
  private hoursSql(value: StatusHoursValue, period: string): string {
    const [entered, left] = [`${period}.entered_at`, `${period}.left_at`];
    const whereStatus = (status: string) =>
      `FILTER (WHERE ${period}.status = ${this.statement.value(this.storedStatus(status), 'text')})`;
    // Intervals are added faster than numbers of seconds, and as exactly.
    const hours = (interval: string) => `extract(epoch FROM ${interval}) / 3600`;
    if (value.kind === 'hoursInStatus') {
      const until = this.statement.value(value.until.toISOString(), 'timestamptz');
      return hours(`sum(coalesce(${left}, ${until}) - ${entered}) ${whereStatus(value.status)}`);
    }
    const from = `min(${entered}) ${whereStatus(value.from)}`;
    const to = whereStatus(value.to);
    // The row can have had the second status before the first one, too.
    const end = value.last
      ? `CASE WHEN max(${entered}) ${to} >= ${from} THEN max(${entered}) ${to} END`
      : `(SELECT min(entered_at) FROM unnest(array_agg(${entered}) ${to}) AS entered_at WHERE entered_at >= ${from})`;
    return hours(`(${end} - ${from})`);
  }

  private storedStatus(member: string): unknown {
    const { status } = this.model.roles;
    if (!status) throw new Error(`Rows of ${this.model.table} have no status.`);
    return status.type.encode(member);
  }
}
