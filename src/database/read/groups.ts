// Groups of rows, with their measures, as one statement.
import { date, decimal, integer } from '../../fields/index.ts';
import type { ApiField } from '../stored-field.ts';
import { bucketSql, periodSql } from './buckets.ts';
import { allOf, conditionsOf, matchesAll, type Opened, open, openRelated } from './conditions.ts';
import { derivedSql, maxRead, placesIn } from './derived.ts';
import { filledSql } from './filled.ts';
import type { Compiled, Decoder } from './find.ts';
import { parentColumnSql, parentCondition } from './group-parents.ts';
import type { ColumnPath, FoundGroup, GroupKey, GroupParents, GroupQuery, Measure, RowValue } from './group-query.ts';
import { groupingSql } from './grouping.ts';
import { joinFigures, ListValues } from './list-figures.ts';
import { measureSql } from './measure.ts';
import { apiFieldOf, joinOf, type SqlModel, sortableSql } from './models.ts';
import { PeriodRows } from './periods.ts';
import type { Access } from './row-access.ts';
import { calendarOf, rowValueSql, type ValueColumns } from './row-value.ts';
import { Statement } from './statement.ts';
import { StatusHours } from './status-hours.ts';
import type { Where } from './where.ts';

/** Compiles groups, with the measures of each. @param name the model of the rows */
export function compileGroups(access: Access, name: string, query: GroupQuery): Compiled<FoundGroup> {
  const compiler = new GroupCompiler(access, name, query);
  const { keys, measures, derived = [], subtotals = [], parents } = query;
  const text = compiler.compile();
  const ofKeys = keys.map((key) => compiler.keyDecoder(key));
  const ofMeasures = [
    ...measures.map((one) => compiler.measureDecoder(one)),
    ...derived.map((): Decoder<string> => decimal.asText.decode),
  ];
  const first = parents ? 1 : 0;
  const level = first + keys.length;
  const measured = level + (subtotals.length > 0 ? 1 : 0);
  const decodeAll = (decoders: readonly Decoder<string>[], values: readonly (string | null)[]) =>
    decoders.map((decode, n) => {
      const value = values[n] ?? null;
      return value === null ? null : decode(value);
    });
  return {
    text,
    values: compiler.statement.values,
    tables: compiler.statement.tables,
    decode: (values) => ({
      ...(parents && { parent: String(values[0]) }),
      keys: decodeAll(ofKeys, values.slice(first, level)),
      measures: decodeAll(ofMeasures, values.slice(measured)),
      ...(subtotals.length > 0 && { totalOf: placesIn(Number(values[level]), keys.length) }),
      ...(compiler.maxCombinations !== undefined && {
        isCut: Number(values[measured + ofMeasures.length]) > compiler.maxCombinations,
      }),
    }),
  };
}

/** A row that is joined. */
interface Joined {
  readonly alias: string;
  readonly model: SqlModel;
}

/**
 * Writes the statement. Its columns are the parent's id, where there are parents, the keys `k0` … and measures `m0` ….
 */
class GroupCompiler implements ValueColumns {
  readonly statement: Statement;
  readonly model: SqlModel;
  readonly alias: string;
  /** Path of relations → the alias and model of the row it leads to. */
  private readonly joined = new Map<string, Joined>();
  private readonly joins: string[] = [];
  /** The SQL of the conditions on measured rows. */
  private readonly conditions = new Map<Where, string>();
  private readonly statusHours: StatusHours;
  private readonly lists: ListValues;
  /** Whether all rows of a company are read, so that what is computed of their lists is joined to them. */
  private readonly isWhole: boolean;
  private readonly periods: PeriodRows | undefined;
  /** The placeholder of the time zone. */
  private zone: string | undefined;
  /** The placeholder of the ids of the rows whose lists are grouped, where the lists are read together. */
  private parentIds: string | undefined;
  /** How many combinations of keys get groups without rows; see `filledSql`. */
  maxCombinations: number | undefined;

  constructor(
    access: Access,
    name: string,
    private readonly query: GroupQuery,
  ) {
    this.statement = new Statement(access);
    const model = this.statement.modelOf(name);
    this.periods = query.periods && new PeriodRows(this.statement, model, query.periods, query, () => this.zoneSql());
    this.model = this.periods?.model ?? model;
    this.alias = this.periods?.alias ?? this.statement.alias(model);
    this.statusHours = new StatusHours(this.statement, model);
    this.lists = new ListValues(this.statement);
    const { where, as, parents } = query;
    this.isWhole =
      this.periods !== undefined || (!parents && joinFigures(this.statement, this, where, as, this.lists, this.joins));
  }

  /** The SQL of the whole statement. */
  compile(): string {
    const { parents, fill } = this.query;
    if (!parents) return this.listSql();
    // Lists that reach their rows through others can have a row in common.
    if (!parents.through && fill.length === 0) return this.listsSql(parents);
    const ids = this.statement.value(parents.ids, 'uuid[]');
    return `SELECT p.id, q.* FROM unnest(${ids}) AS p(id) CROSS JOIN LATERAL (${this.listSql()}) AS q`;
  }

  /** The groups of one list. */
  private listSql(): string {
    const { sql, maxCombinations } = filledSql(this.statement, this.query, this.groupsSql());
    this.maxCombinations = maxCombinations;
    const { per, limit } = this.query;
    const further = maxCombinations === undefined ? [] : ['combinations'];
    const order = this.orderSql();
    const ordered = order && `ORDER BY ${order}`;
    const found = this.derived(sql, [], further);
    if (!per) return [`SELECT * FROM (${found}) AS g`, this.havingSql(), ordered, `LIMIT ${limit}`].join(' ');
    const placed = `row_number() OVER (PARTITION BY ${per.map((place) => `k${place}`).join(', ')} ${ordered}) AS place`;
    const all = `SELECT g.*, ${placed} FROM (${found}) AS g ${this.havingSql()}`;
    const names = [...this.names, ...further].join(', ');
    return `SELECT ${names} FROM (${all}) AS g WHERE place <= ${limit} ${ordered} LIMIT ${maxRead}`;
  }

  /** The groups of the lists of several rows, which are read once for all of them. */
  private listsSql({ ids }: GroupParents): string {
    const { keys, measures, per = [], limit } = this.query;
    this.parentIds = this.statement.value(ids, 'uuid[]');
    const names = this.names.join(', ');
    const groups = this.groupsSql();
    if (keys.length === 0) {
      const measured = measures.map(({ of }, n) =>
        of === 'count' || of === 'countDistinct' ? `coalesce(m${n}, 0) AS m${n}` : `m${n}`,
      );
      // A list without rows is a group too.
      const all = `SELECT ${['p.id', ...measured].join(', ')} FROM unnest(${this.parentIds}) AS p(id) LEFT JOIN (${groups}) AS f ON f.id = p.id`;
      return [`SELECT id, ${names} FROM (${this.derived(all, ['id'])}) AS g`, this.havingSql()].join(' ');
    }
    const within = ['id', ...per.map((place) => `k${place}`)].join(', ');
    const placed = `row_number() OVER (PARTITION BY ${within} ORDER BY ${this.orderSql()}) AS place`;
    const found = `SELECT g.*, ${placed} FROM (${this.derived(groups, ['id'])}) AS g ${this.havingSql()}`;
    return `SELECT id, ${names} FROM (${found}) AS q WHERE place <= ${limit} ORDER BY ${this.orderSql()}`;
  }

  /** The columns of a group. */
  private get names(): string[] {
    const { keys, measures, derived = [] } = this.query;
    return [...keys.map((_, n) => `k${n}`), ...this.level, ...[...measures, ...derived].map((_, n) => `m${n}`)];
  }

  /** The column that tells totals apart, where there are some: a bit for each key that a group is a total over. */
  private get level(): string[] {
    return (this.query.subtotals ?? []).length > 0 ? ['level'] : [];
  }

  /** Adds what is computed of measures to groups. @param lists the column of their list @param further their others */
  private derived(groups: string, lists: readonly string[], further: readonly string[] = []): string {
    const { keys, measures, derived = [] } = this.query;
    if (derived.length === 0) return groups;
    const within = [...lists, ...this.level];
    const columns = derived.map(
      (each, n) => `${derivedSql(this.statement, each, { keys, within })} AS m${measures.length + n}`,
    );
    const own = this.names.slice(0, this.names.length - derived.length);
    return `SELECT ${[...lists, ...own, ...columns, ...further].join(', ')} FROM (${groups}) AS f`;
  }

  /** The conditions on measures, as a `WHERE` around the groups. */
  private havingSql(): string {
    const conditions = this.query.having.map(
      ({ measure, operator, operand }) => `m${measure} ${operator} ${this.statement.value(operand, 'numeric')}`,
    );
    return conditions.length > 0 ? `WHERE ${allOf(conditions)}` : '';
  }

  /** The order of the groups; ties are sorted by the keys. */
  private orderSql(): string {
    const { orderBy, keys } = this.query;
    const sorted = new Set(orderBy.filter(({ by }) => by === 'key').map(({ place }) => place));
    return [
      ...orderBy.map(({ by, place, direction }) => `${by === 'key' ? 'k' : 'm'}${place} ${direction} NULLS LAST`),
      ...keys.flatMap((_, n) => (sorted.has(n) ? [] : [`k${n} ASC NULLS LAST`])),
      ...this.level,
    ].join(', ');
  }

  /** Reads the values of a key. */
  keyDecoder(key: GroupKey): Decoder<string> {
    if ('bucket' in key) return decimal.asText.decode;
    if ('period' in key) return date.asText.decode;
    const { value, part } = key;
    if (part) return (part === 'weekday' || part === 'hour' ? integer : date).asText.decode;
    return this.fieldAt(value).type.asText.decode;
  }

  /** Reads the values of a measure. */
  measureDecoder(measure: Measure): Decoder<string> {
    if (measure.of === 'count' || measure.of === 'countDistinct') return integer.asText.decode;
    const isExtreme = measure.of === 'min' || measure.of === 'max';
    const type = isExtreme && measure.value.kind === 'column' ? this.fieldAt(measure.value.of).type : decimal;
    return type.asText.decode;
  }

  /** The groups of all lists, in no order. */
  private groupsSql(): string {
    const { keys, measures, parents } = this.query;
    const together = parents && this.parentIds !== undefined;
    const isLater = (key: GroupKey) => this.periods?.isCounted === true && 'period' in key;
    const keySqls = [
      ...(together ? [`${parentColumnSql(this.statement, parents, this.alias)} AS id`] : []),
      ...keys.flatMap((key, n) => (isLater(key) ? [] : [`${this.keySql(key)} AS k${n}`])),
    ];
    const values = measures.map((measure) => this.measuredSql(measure));
    const measured = (of: readonly string[]) =>
      measures.map((one, n) => {
        const isExact = one.of !== 'count' && this.isExact(one.value);
        return `${measureSql(this.statement, one, of[n] ?? '', isExact)} AS m${n}`;
      });
    const { from, conditions } = this.open(this.alias);
    const rows = [`FROM ${from}`, ...this.joins, ...this.hoursJoin(), `WHERE ${allOf(conditions)}`].join(' ');
    const names = [...(together ? ['id'] : []), ...keys.map((_, n) => `k${n}`)];
    const { grouping, level } = groupingSql(this.query, names);
    if (!keys.some((key) => key.part ?? 'bucket' in key) && level.length === 0)
      return `SELECT ${[...keySqls, ...measured(values)].join(', ')} ${rows}${grouping}`;
    if (this.periods?.isCounted) {
      const place = keys.findIndex((key) => 'period' in key);
      return this.periods.countedSql(keySqls, values, rows, { place, names, grouping, level });
    }
    // If PostgreSQL sees how a part of a time is computed, it expects a group for each row, and sorts all rows.
    const distinct = [...new Set(values.filter(Boolean))];
    const inner = [...keySqls, ...distinct.map((sql, n) => `${sql} AS v${n}`)].join(', ');
    const outer = measured(values.map((sql) => sql && `v${distinct.indexOf(sql)}`));
    return `SELECT ${[...names, ...level, ...outer].join(', ')} FROM (SELECT ${inner} ${rows} OFFSET 0) AS r${grouping}`;
  }

  /** Opens the table of the rows that are grouped, with all their conditions. */
  private open(alias: string): Opened {
    const { where, parents, as } = this.query;
    const { from, conditions } = this.periods?.open() ?? open(this.statement, this.model, alias, as);
    const all = [
      ...conditions,
      ...(parents ? [parentCondition(this.statement, parents, alias, this.parentIds)] : []),
      ...conditionsOf(this.statement, this.model, alias, where),
    ];
    return { from, conditions: all };
  }

  /** The row that relations lead to, joined once. */
  private rowOf(joins: readonly string[]): Joined {
    const last = joins.at(-1);
    if (last === undefined) return this;
    const path = joins.join('.');
    const known = this.joined.get(path);
    if (known) return known;
    const from = this.rowOf(joins.slice(0, -1));
    const join = joinOf(from.model, last);
    const model = this.statement.modelOf(join.model);
    const alias = this.statement.alias(model);
    const opened = openRelated(this.statement, from.model, from.alias, join, alias);
    this.joins.push(`LEFT JOIN ${opened.from} ON ${allOf(opened.conditions)}`);
    const row = { alias, model };
    this.joined.set(path, row);
    return row;
  }

  fieldAt({ joins, column }: ColumnPath): ApiField {
    return apiFieldOf(this.rowOf(joins).model, column);
  }

  sqlAt(path: ColumnPath): string {
    return this.fieldAt(path).sql(this.rowOf(path.joins).alias);
  }

  private keySql(key: GroupKey): string {
    if ('period' in key) return this.periods?.keySql() ?? '';
    if ('bucket' in key) return bucketSql(this.statement, this.valueSql(key.number), key.bucket);
    const { value, part } = key;
    const sql = this.sqlAt(value);
    if (!part) return sortableSql(sql, this.fieldAt(value));
    if (part === 'hour') return `extract(hour FROM ${sql} AT TIME ZONE ${this.zoneSql()})::integer`;
    const day = calendarOf(this.fieldAt(value)).daySql(sql, () => this.zoneSql());
    if (part === 'weekday') return `extract(isodow FROM ${day})::integer`;
    return periodSql(this.statement, day, part, this.query.fiscalMonth);
  }

  private zoneSql(): string {
    return (this.zone ??= this.statement.value(this.query.timeZone, 'text'));
  }

  /** What of each row is measured: null, which nothing counts, where the row is none of those measured. */
  private measuredSql(measure: Measure): string {
    const { where } = measure;
    const value = measure.of === 'count' ? '' : this.sharedSql(measure);
    if (!where || matchesAll(where)) return value;
    const known = this.conditions.get(where);
    const condition = known ?? allOf(conditionsOf(this.statement, this.model, this.alias, where));
    this.conditions.set(where, condition);
    return `CASE WHEN ${condition} THEN ${value || '1'} END`;
  }

  /** What of a row is measured: of numbers, the share of its period. */
  private sharedSql({ of, value }: Exclude<Measure, { of: 'count' }>): string {
    const sql = this.valueSql(value);
    const isNumber = value.kind !== 'column' || this.fieldAt(value.of).type.measure === 'Number';
    // Days in a period are of it already.
    if (!this.periods || !isNumber || of === 'countDistinct' || value.kind === 'daysInPeriod') return sql;
    return this.periods.sharedSql(sql);
  }

  /** Whether the digits of a value matter, as those of money do and those of durations do not. */
  private isExact(value: RowValue): boolean {
    if (value.kind === 'column') return this.fieldAt(value.of).type.isExact === true;
    return value.kind === 'product' || value.kind === 'difference';
  }

  private valueSql(value: RowValue): string {
    if (value.kind === 'hoursInStatus' || value.kind === 'hoursBetween')
      return `hours.${this.statusHours.column(value)}`;
    if (value.kind === 'daysInPeriod') return this.periods?.daysSql() ?? 'NULL::integer';
    if ('joins' in value) return this.lists.sql(value, this.rowOf(value.joins), this.isWhole ? this.joins : undefined);
    return rowValueSql(this.statement, value, this);
  }

  /** Joins the hours between and in statuses: those of the same rows alone. */
  private hoursJoin(): string[] {
    const hours = this.statusHours.sql(this.isWhole ? undefined : (row) => this.open(row));
    return hours === undefined ? [] : [`LEFT JOIN (${hours}) AS hours ON hours.id = ${this.alias}.id`];
  }
}
