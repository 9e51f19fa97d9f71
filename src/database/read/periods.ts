// Rows by the periods that they belong to, in SQL.
import { date, dateTime } from '../../fields/index.ts';
import { columnField, type StoredField } from '../stored-field.ts';
import { type Opened, open } from './conditions.ts';
import type { GroupPeriods, GroupQuery, PeriodRange, PeriodStatus } from './group-query.ts';
import { apiFieldOf, type SqlModel } from './models.ts';
import { calendarOf } from './row-value.ts';
import type { Statement } from './statement.ts';

/** The first and the last period of a row, counted from 1. */
interface Span {
  readonly first: string;
  readonly last: string;
}

/** How many days of what a row's range overlaps. */
interface Overlap {
  readonly inPeriod: string;
  readonly ofPeriod: string;
  readonly ofRange: string;
}

/** How counts are grouped: by columns of these names, of which the period is a key, with the level of totals. */
interface Grouping {
  readonly place: number;
  readonly names: readonly string[];
  readonly grouping: string;
  readonly level: readonly string[];
}

/** The rows of a statement with the periods that they belong to. */
export class PeriodRows {
  /** The model of the rows: its status is that at the end of each period. */
  readonly model: SqlModel;
  readonly alias: string;
  /**
   * Whether rows are counted by their first and last period before they are repeated for each: those of a company are
   * many, these pairs are few.
   */
  readonly isCounted: boolean;
  private readonly history: { readonly model: SqlModel; readonly alias: string };
  private readonly placeholders = new Map<string, string>();

  /** @param rows the model of the rows @param zoneSql the time zone of the statement */
  constructor(
    private readonly statement: Statement,
    private readonly rows: SqlModel,
    private readonly periods: GroupPeriods,
    private readonly query: Pick<GroupQuery, 'measures' | 'as'>,
    private readonly zoneSql: () => string,
  ) {
    const { measures } = query;
    this.isCounted = measures.every(({ of }) => of === 'count');
    const model = statement.modelOf('StatusPeriod');
    this.history = { model, alias: statement.alias(periods.by.kind === 'status' ? model : rows) };
    const { by } = periods;
    this.alias = by.kind === 'status' && by.withDeleted ? this.history.alias : statement.alias(rows);
    this.model = by.kind === 'status' ? this.withStatus(by) : rows;
  }

  /** Opens the table of the rows. */
  open(): Opened {
    const { by } = this.periods;
    const { from, conditions } = by.kind === 'status' ? this.openStatuses(by) : this.openRange(by);
    const { first, last } = this.span();
    // Rows that are counted first are repeated later.
    if (this.isCounted) return { from, conditions };
    return { from: `${from} CROSS JOIN LATERAL generate_series(${first}, ${last}) AS period(n)`, conditions };
  }

  /** The first and the last period of a row. */
  span(): Span {
    const { by } = this.periods;
    const most = this.periods.days.length - 1;
    if (by.kind === 'status') {
      const { alias } = this.history;
      const ends = this.ends(false);
      return {
        first: `width_bucket(${alias}.entered_at, ${ends}) + 1`,
        last: `coalesce(width_bucket(${alias}.left_at, ${ends}), ${most})`,
      };
    }
    const { from, to, isDate } = this.rangeSql(by);
    // A time of an end is no longer part of the range.
    const last = isDate ? to : `greatest(${to} - interval '1 millisecond', ${from})`;
    return {
      first: `width_bucket(${from}, ${this.ends(isDate)}) + 1`,
      last: `CASE WHEN ${to} IS NULL THEN ${most} ELSE width_bucket(${last}, ${this.starts(isDate)}) END`,
    };
  }

  /** The first day of a row's period. */
  keySql(): string {
    return `(${this.starts(true)})[period.n]`;
  }

  /** How many days of a row's range its period has. */
  daysSql(): string {
    return this.overlap().inPeriod;
  }

  /** The share of a number of a row that counts in its period. */
  sharedSql(number: string): string {
    const { by } = this.periods;
    if (by.kind !== 'range' || !by.share) return number;
    const { inPeriod, ofPeriod, ofRange } = this.overlap();
    return `(${number}::numeric * ${inPeriod} / nullif(${by.share === 'period' ? ofPeriod : ofRange}, 0))`;
  }

  /**
   * Counts rows by their first and last period, before these counts are repeated for each period.
   *
   * @param keys the SQL of the other keys @param values what is counted of each row, in SQL; empty for the row
   * @param rows FROM and WHERE @param grouping its groups, by the columns of these names; the period's key is `place`
   */
  countedSql(
    keys: readonly string[],
    values: readonly string[],
    rows: string,
    { place, names, grouping, level }: Grouping,
  ): string {
    const { first, last } = this.span();
    const distinct = [...new Set(values.filter(Boolean))];
    const inner = [...keys, `${first} AS first`, `${last} AS last`, ...distinct.map((sql, n) => `${sql} AS v${n}`)];
    const others = names.filter((name) => name !== `k${place}`);
    const by = [...others, 'first', 'last'].join(', ');
    const counts = values.map((sql, n) => `count(${sql ? `v${distinct.indexOf(sql)}` : '*'}) AS m${n}`);
    const counted =
      `SELECT ${[by, ...counts].join(', ')} FROM (SELECT ${inner.join(', ')} ${rows} OFFSET 0) AS r ` +
      `WHERE first <= last GROUP BY ${by}`;
    const named = [...others, `${this.keySql()} AS k${place}`, ...values.map((_, n) => `m${n}`)].join(', ');
    const repeated = `SELECT ${named} FROM (${counted}) AS c CROSS JOIN LATERAL generate_series(first, last) AS period(n)`;
    const sums = values.map((_, n) => `sum(m${n})::bigint AS m${n}`);
    return `SELECT ${[...names, ...level, ...sums].join(', ')} FROM (${repeated}) AS r${grouping}`;
  }

  private overlap(): Overlap {
    const { by } = this.periods;
    if (by.kind !== 'range') throw new Error(`Rows of ${this.rows.table} have no range in these periods.`);
    const { from, to, isDate } = this.rangeSql(by);
    const [start, end] = [this.starts(isDate), this.ends(isDate)].map((all) => `(${all})[period.n]`);
    const after = isDate ? `${to} + 1` : to;
    const days = (interval: string) =>
      isDate ? `(${interval})::numeric` : `(extract(epoch FROM (${interval})) / 86400)`;
    return {
      // `least` ignores the end that a range does not have.
      inPeriod: days(`least(${after}, ${end}) - greatest(${from}, ${start})`),
      ofPeriod: days(`${end} - ${start}`),
      ofRange: days(`${after} - ${from}`),
    };
  }

  private openStatuses({ withDeleted }: PeriodStatus): Opened {
    const { model, alias } = this.history;
    const history = open(this.statement, model, alias, null);
    const ends = this.ends(false);
    const inTime = [
      `${alias}.table_name = '${this.rows.table}'`,
      `${alias}.entered_at < (${ends})[${this.periods.days.length - 1}]`,
      `(${alias}.left_at IS NULL OR ${alias}.left_at >= (${ends})[1])`,
    ];
    if (withDeleted) return { from: history.from, conditions: [...history.conditions, ...inTime] };
    const rows = open(this.statement, this.rows, this.alias, this.query.as);
    return {
      from: `${rows.from} JOIN ${history.from} ON ${alias}.row_id = ${this.alias}.id`,
      conditions: [...rows.conditions, ...history.conditions, ...inTime],
    };
  }

  private openRange(by: PeriodRange): Opened {
    const { from, conditions } = open(this.statement, this.rows, this.alias, this.query.as);
    const range = this.rangeSql(by);
    const most = this.periods.days.length - 1;
    return {
      from,
      conditions: [
        ...conditions,
        `${range.from} < (${this.ends(range.isDate)})[${most}]`,
        `(${range.to} IS NULL OR ${range.to} >= greatest(${range.from}, (${this.starts(range.isDate)})[1]))`,
      ],
    };
  }

  /** The range of a row: its first and last day, or the times of its start and end. */
  private rangeSql({ from, to, orFrom }: PeriodRange): { from: string; to: string; isDate: boolean } {
    const sqlOf = (name: string) => apiFieldOf(this.rows, name).sql(this.alias);
    const isDate = apiFieldOf(this.rows, from).type === date;
    const [start, end] = [sqlOf(from), sqlOf(to)];
    if (orFrom === undefined) return { from: start, to: end, isDate };
    const day = calendarOf(apiFieldOf(this.rows, orFrom)).daySql(sqlOf(orFrom), this.zoneSql);
    // A row can be made after its end.
    return { from: `coalesce(${start}, least(${day}, ${end}))`, to: end, isDate };
  }

  private starts(isDate: boolean): string {
    return this.bounds('starts', isDate, 0);
  }

  private ends(isDate: boolean): string {
    return this.bounds('ends', isDate, 1);
  }

  private bounds(name: string, isDate: boolean, from: number): string {
    const key = `${name} ${isDate}`;
    const { days, times } = this.periods;
    const until = days.length - 1 + from;
    const placeholder =
      this.placeholders.get(key) ??
      (isDate
        ? this.statement.value(days.slice(from, until), 'date[]')
        : this.statement.value(
            times.slice(from, until).map((time) => dateTime.encode(time)),
            'timestamptz[]',
          ));
    this.placeholders.set(key, placeholder);
    return placeholder;
  }

  /** The model with the status of a period; of rows that may be deleted, it has nothing else. */
  private withStatus({ withDeleted }: PeriodStatus): SqlModel {
    const { status } = this.rows.roles;
    if (!status) throw new Error(`Rows of ${this.rows.table} have no status.`);
    const field: StoredField = {
      ...columnField(status, status.column),
      sql: (alias) =>
        alias === this.alias ? `${this.history.alias}.status::${status.type.sqlType}` : status.sql(alias),
    };
    const statuses = { [status.name]: field };
    return withDeleted
      ? { ...this.rows, fields: statuses, joins: {} }
      : { ...this.rows, fields: { ...this.rows.fields, ...statuses } };
  }
}
