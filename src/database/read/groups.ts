// Groups of rows, with their measures, as one statement.
import { type Calendar, date, dateTime, decimal, integer } from '../../fields/index.ts';
import type { ApiField } from '../stored-field.ts';
import { allOf, conditionsOf, matchesAll, type Opened, open, openRelated, relationSql } from './conditions.ts';
import { filledSql } from './filled.ts';
import type { Compiled, Decoder } from './find.ts';
import type { ColumnPath, FoundGroup, GroupKey, GroupParents, GroupQuery, Measure, RowValue } from './group-query.ts';
import { apiFieldOf, fieldSql, joinOf, type SqlModel, sortableSql } from './models.ts';
import type { Access } from './row-access.ts';
import { Statement } from './statement.ts';
import { StatusHours } from './status-hours.ts';

/** Compiles groups, with the measures of each. @param name the model of the rows */
export function compileGroups(access: Access, name: string, query: GroupQuery): Compiled<FoundGroup> {
  const compiler = new GroupCompiler(access, name, query);
  const { keys, measures, parents } = query;
  const text = compiler.compile();
  const decoders = [
    ...keys.map((key) => compiler.keyDecoder(key)),
    ...measures.map((one) => compiler.measureDecoder(one)),
  ];
  const first = parents ? 1 : 0;
  return {
    text,
    values: compiler.statement.values,
    tables: compiler.statement.tables,
    decode: (values) => {
      const found = decoders.map((decode, n) => {
        const value = values[first + n] ?? null;
        return value === null ? null : decode(value);
      });
      return {
        ...(parents && { parent: String(values[0]) }),
        keys: found.slice(0, keys.length),
        measures: found.slice(keys.length),
        ...(compiler.maxCombinations !== undefined && {
          isCut: Number(values[first + decoders.length]) > compiler.maxCombinations,
        }),
      };
    },
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
class GroupCompiler {
  readonly statement: Statement;
  readonly model: SqlModel;
  readonly alias: string;
  /** Path of relations → the alias and model of the row it leads to. */
  private readonly joined = new Map<string, Joined>();
  private readonly joins: string[] = [];
  private readonly statusHours: StatusHours;
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
    this.model = this.statement.modelOf(name);
    this.alias = this.statement.alias(this.model);
    this.statusHours = new StatusHours(this.statement, this.model);
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
    const order = this.orderSql();
    const groups = [
      `SELECT * FROM (${sql}) AS g`,
      this.havingSql(),
      order && `ORDER BY ${order}`,
      `LIMIT ${this.query.limit}`,
    ];
    return groups.filter(Boolean).join(' ');
  }

  /** The groups of the lists of several rows, which are read once for all of them. */
  private listsSql({ ids }: GroupParents): string {
    const { keys, measures, limit } = this.query;
    this.parentIds = this.statement.value(ids, 'uuid[]');
    const names = [...keys.map((_, n) => `k${n}`), ...measures.map((_, n) => `m${n}`)].join(', ');
    const groups = this.groupsSql();
    if (keys.length === 0) {
      const measured = measures.map(({ of }, n) =>
        of === 'count' || of === 'countDistinct' ? `coalesce(m${n}, 0) AS m${n}` : `m${n}`,
      );
      // A list without rows is a group too.
      const all = `SELECT p.id, ${measured.join(', ')} FROM unnest(${this.parentIds}) AS p(id) LEFT JOIN (${groups}) AS f ON f.id = p.id`;
      return [`SELECT id, ${names} FROM (${all}) AS g`, this.havingSql()].filter(Boolean).join(' ');
    }
    const placed = `row_number() OVER (PARTITION BY id ORDER BY ${this.orderSql()}) AS place`;
    const found = [`SELECT g.*, ${placed} FROM (${groups}) AS g`, this.havingSql()].filter(Boolean).join(' ');
    return `SELECT id, ${names} FROM (${found}) AS q WHERE place <= ${limit} ORDER BY place`;
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
    ].join(', ');
  }

  /** Reads the values of a key. */
  keyDecoder({ value, part }: GroupKey): Decoder<string> {
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
    const keySqls = [
      ...(together ? [`${this.parentColumnSql(parents, this.alias)} AS id`] : []),
      ...keys.map((key, n) => `${this.keySql(key)} AS k${n}`),
    ];
    const values = measures.map((measure) => (measure.of === 'count' ? '' : this.valueSql(measure.value)));
    const measured = (of: readonly string[]) =>
      measures.map((one, n) => `${this.measureSql(one, of[n] ?? '')} AS m${n}`);
    const { from, conditions } = this.open(this.alias);
    const rows = [`FROM ${from}`, ...this.joins, ...this.hoursJoin(), `WHERE ${allOf(conditions)}`].join(' ');
    const grouping = keySqls.length > 0 ? ` GROUP BY ${keySqls.map((_, n) => n + 1).join(', ')}` : '';
    if (!keys.some(({ part }) => part))
      return `SELECT ${[...keySqls, ...measured(values)].join(', ')} ${rows}${grouping}`;
    // If PostgreSQL sees how a part of a time is computed, it expects a group for each row, and sorts all rows.
    const names = [...(together ? ['id'] : []), ...keys.map((_, n) => `k${n}`)];
    const distinct = [...new Set(values.filter(Boolean))];
    const inner = [...keySqls, ...distinct.map((sql, n) => `${sql} AS v${n}`)].join(', ');
    const outer = measured(values.map((sql) => `v${distinct.indexOf(sql)}`));
    return `SELECT ${[...names, ...outer].join(', ')} FROM (SELECT ${inner} ${rows} OFFSET 0) AS r${grouping}`;
  }

  /** Opens the table of the rows that are grouped, with all their conditions. */
  private open(alias: string): Opened {
    const { where, parents, as } = this.query;
    const { from, conditions } = open(this.statement, this.model, alias, as);
    const all = [
      ...conditions,
      ...(parents ? [this.parentCondition(parents, alias)] : []),
      ...conditionsOf(this.statement, this.model, alias, where),
    ];
    return { from, conditions: all };
  }

  /** The condition for the rows of the lists that are grouped. If lists are grouped one by one, `p` is the parent. */
  private parentCondition(parents: GroupParents, alias: string): string {
    const { model: name, relation, through } = parents;
    if (this.parentIds !== undefined) return `${this.parentColumnSql(parents, alias)} = ANY(${this.parentIds})`;
    const refersTo = (from: string) => `${this.parentColumnSql(parents, from)} = p.id`;
    if (!through) return refersTo(alias);
    const target = this.statement.modelOf(joinOf(this.statement.modelOf(name), relation).model);
    const link = this.statement.alias(target);
    const next = joinOf(target, through.to);
    const opened = open(this.statement, target, link, through.as);
    const conditions = [
      ...opened.conditions,
      refersTo(link),
      ...relationSql(this.statement, target, link, next, alias),
      ...conditionsOf(this.statement, target, link, through.where ?? {}),
    ];
    return `EXISTS (SELECT 1 FROM ${opened.from} WHERE ${allOf(conditions)})`;
  }

  /** The column that refers to the row whose list is grouped. */
  private parentColumnSql({ model: name, relation }: GroupParents, alias: string): string {
    const parent = this.statement.modelOf(name);
    const { model, on } = joinOf(parent, relation);
    const column = on.find(([mine]) => mine === parent.roles.key?.name)?.[1];
    if (column === undefined) throw new Error(`${parent.table} has no list ${relation}.`);
    return fieldSql(this.statement.modelOf(model), column, alias);
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

  private fieldAt({ joins, column }: ColumnPath): ApiField {
    return apiFieldOf(this.rowOf(joins).model, column);
  }

  private calendarOf(path: ColumnPath): Calendar {
    const { calendar, name } = this.fieldAt(path).type;
    if (!calendar) throw new Error(`${path.column} has no time, as it is a ${name}.`);
    return calendar;
  }

  private fieldSql(path: ColumnPath): string {
    return this.fieldAt(path).sql(this.rowOf(path.joins).alias);
  }

  private keySql({ value, part }: GroupKey): string {
    const sql = this.fieldSql(value);
    if (!part) return sortableSql(sql, this.fieldAt(value));
    if (part === 'hour') return `extract(hour FROM ${sql} AT TIME ZONE ${this.zoneSql()})::integer`;
    const day = this.calendarOf(value).daySql(sql, () => this.zoneSql());
    if (part === 'weekday') return `extract(isodow FROM ${day})::integer`;
    return part === 'day' ? day : `date_trunc('${part}', ${day}::timestamp)::date`;
  }

  private zoneSql(): string {
    return (this.zone ??= this.statement.value(this.query.timeZone, 'text'));
  }

  private measureSql(measure: Measure, value: string): string {
    if (measure.of === 'count') return 'count(*)';
    if (measure.of === 'countDistinct') return `count(DISTINCT ${value})`;
    if (measure.of === 'percentile') {
      if (this.isExact(measure.value)) return percentileSql(value, this.statement.value(measure.share, 'numeric'));
      const share = this.statement.value(Number(measure.share), 'double precision');
      return `percentile_cont(${share}) WITHIN GROUP (ORDER BY ${value})`;
    }
    return `${measure.of}(${value})`;
  }

  /** Whether the digits of a value matter, as those of money do and those of durations do not. */
  private isExact(value: RowValue): boolean {
    if (value.kind === 'column') return this.fieldAt(value.of).type.isExact === true;
    return value.kind === 'product' || value.kind === 'difference';
  }

  private valueSql(value: RowValue): string {
    switch (value.kind) {
      case 'column':
        return this.fieldSql(value.of);
      case 'product':
      case 'difference': {
        const [one, other] = value.of.map((path) => `${this.fieldSql(path)}::numeric`);
        return `(${one} ${value.kind === 'product' ? '*' : '-'} ${other})`;
      }
      case 'hoursInStatus':
      case 'hoursBetween':
        return `hours.${this.statusHours.column(value)}`;
      default: {
        const seconds = `extract(epoch FROM (${this.timeSql(value.to)} - ${this.timeSql(value.from)}))`;
        return `(${seconds} / ${value.kind === 'hours' ? 3600 : 86_400})`;
      }
    }
  }

  /** Joins the hours between and in statuses: those of the same rows alone. */
  private hoursJoin(): string[] {
    const { where, parents, as } = this.query;
    // For all rows of a company, the periods can be read without the rows.
    const isWhole = !parents && matchesAll(where) && !this.statement.rowFilter(this.model, as);
    const hours = this.statusHours.sql(isWhole ? undefined : (row) => this.open(row));
    return hours === undefined ? [] : [`LEFT JOIN (${hours}) AS hours ON hours.id = ${this.alias}.id`];
  }

  private timeSql(value: ColumnPath | Date): string {
    if ('column' in value) return this.calendarOf(value).timeSql(this.fieldSql(value));
    return this.statement.value(dateTime.encode(value), dateTime.sqlType);
  }
}

/** The SQL of a percentile with all digits; `percentile_cont` computes with doubles. @param share a numeric */
function percentileSql(value: string, share: string): string {
  const sorted = `(array_agg(${value} ORDER BY ${value}) FILTER (WHERE ${value} IS NOT NULL))`;
  const place = `(${share} * (count(${value}) - 1))`;
  const below = `${sorted}[1 + floor(${place})::int]`;
  const above = `${sorted}[1 + ceil(${place})::int]`;
  return `(${below} + (${above} - ${below}) * (${place} - floor(${place})))`;
}
