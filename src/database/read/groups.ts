// Groups of rows, with their measures, as one statement.
import { allOf, companyOf, conditionsOf, isWholeCompany, joinConditions } from './conditions.ts';
import { type Decoder, textDecoder } from './decode.ts';
import { filledSql } from './filled.ts';
import type { Compiled } from './find.ts';
import type {
  ColumnPath,
  FoundGroup,
  GroupJoin,
  GroupKey,
  GroupParents,
  GroupQuery,
  Measure,
  RowValue,
} from './group-query.ts';
import {
  columnOf,
  columnSql,
  joinOf,
  joinSql,
  mappedValuesOf,
  modelOf,
  type SqlColumn,
  type SqlModel,
} from './models.ts';
import { Statement } from './statement.ts';

/** Compiles groups, with the measures of each. @param name the model of the rows */
export function compileGroups(name: string, query: GroupQuery): Compiled<FoundGroup> {
  const compiler = new GroupCompiler(modelOf(name), query);
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

const decoderOf = (type: string) => textDecoder({ type, enum: false, list: false, hasDefault: false });
const [integer, decimal, date] = [decoderOf('Int'), decoderOf('Decimal'), decoderOf('Date')];

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
  readonly alias: string;
  /** Path of relations → the alias and model of the row it leads to. */
  private readonly joined = new Map<string, Joined>();
  private readonly joins: string[] = [];
  /** The statuses whose hours are measured → the name of these. */
  private readonly statuses = new Map<string, { readonly name: string; readonly until: Date }>();
  /** The placeholder of the time zone. */
  private zone: string | undefined;
  /** The placeholder of the ids of the rows whose lists are grouped, where the lists are read together. */
  private parentIds: string | undefined;
  /** How many combinations of keys get groups without rows; see `filledSql`. */
  maxCombinations: number | undefined;

  constructor(
    readonly model: SqlModel,
    private readonly query: GroupQuery,
  ) {
    this.statement = new Statement(companyOf(query.where));
    this.alias = this.statement.alias(model);
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
    if (part) return part === 'weekday' || part === 'hour' ? integer : date;
    return textDecoder(this.columnOf(value));
  }

  /** Reads the values of a measure. */
  measureDecoder(measure: Measure): Decoder<string> {
    if (measure.of === 'count' || measure.of === 'countDistinct') return integer;
    const isExtreme = measure.of === 'min' || measure.of === 'max';
    return isExtreme && measure.value.kind === 'column' ? textDecoder(this.columnOf(measure.value.of)) : decimal;
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
    const rows = [
      `FROM "${this.model.table}" AS ${this.alias}`,
      ...this.joins,
      ...this.hoursJoin(),
      `WHERE ${allOf(this.conditions(this.alias))}`,
    ].join(' ');
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

  /** The conditions of the rows that are grouped. */
  private conditions(alias: string): string[] {
    const { where, parents } = this.query;
    return [
      ...(parents ? [this.parentCondition(parents, alias)] : []),
      ...conditionsOf(this.statement, this.model, alias, where),
    ];
  }

  /** The condition for the rows of the lists that are grouped. If lists are grouped one by one, `p` is the parent. */
  private parentCondition(parents: GroupParents, alias: string): string {
    const { model: name, relation, through } = parents;
    if (this.parentIds !== undefined) return `${this.parentColumnSql(parents, alias)} = ANY(${this.parentIds})`;
    const refersTo = (from: string) => `${this.parentColumnSql(parents, from)} = p.id`;
    if (!through) return refersTo(alias);
    const target = modelOf(joinOf(modelOf(name), relation).model);
    const link = this.statement.alias(target);
    const next = joinOf(target, through.to);
    const conditions = [
      refersTo(link),
      joinSql(target, link, next, alias),
      ...conditionsOf(this.statement, target, link, through.where),
    ];
    return `EXISTS (SELECT 1 FROM "${target.table}" AS ${link} WHERE ${allOf(conditions)})`;
  }

  /** The column that refers to the row whose list is grouped. */
  private parentColumnSql({ model: name, relation }: GroupParents, alias: string): string {
    const parent = modelOf(name);
    const { model, on } = joinOf(parent, relation);
    const column = on.find(([mine]) => mine === 'id')?.[1];
    if (column === undefined) throw new Error(`${parent.table} has no list ${relation}.`);
    return columnSql(alias, column, columnOf(modelOf(model), column));
  }

  /** The row that relations lead to, joined once. */
  private rowOf(joins: readonly GroupJoin[]): Joined {
    const last = joins.at(-1);
    if (!last) return this;
    const path = joins.map(({ relation }) => relation).join('.');
    const known = this.joined.get(path);
    if (known) return known;
    const from = this.rowOf(joins.slice(0, -1));
    const join = joinOf(from.model, last.relation);
    const model = modelOf(join.model);
    const alias = this.statement.alias(model);
    const conditions = [
      ...joinConditions(this.statement, from.model, from.alias, join, alias),
      ...conditionsOf(this.statement, model, alias, last.where),
    ];
    this.joins.push(`LEFT JOIN "${model.table}" AS ${alias} ON ${allOf(conditions)}`);
    const row = { alias, model };
    this.joined.set(path, row);
    return row;
  }

  private columnOf({ joins, column }: ColumnPath): SqlColumn {
    return columnOf(this.rowOf(joins).model, column);
  }

  private columnSql(path: ColumnPath): string {
    const { alias } = this.rowOf(path.joins);
    return columnSql(alias, path.column, this.columnOf(path));
  }

  private keySql({ value, part }: GroupKey): string {
    const sql = this.columnSql(value);
    if (!part) return sql;
    const isDate = this.columnOf(value).type === 'Date';
    const local = isDate ? `${sql}::timestamp` : `(${sql} AT TIME ZONE ${this.zoneSql()})`;
    if (part === 'weekday') return `extract(isodow FROM ${local})::integer`;
    if (part === 'hour') return `extract(hour FROM ${local})::integer`;
    return `date_trunc('${part}', ${local})::date`;
  }

  private zoneSql(): string {
    return (this.zone ??= this.statement.value(this.query.timeZone, 'text'));
  }

  private measureSql(measure: Measure, value: string): string {
    if (measure.of === 'count') return 'count(*)';
    if (measure.of === 'countDistinct') return `count(DISTINCT ${value})`;
    if (measure.of === 'percentile') {
      const share = this.statement.value(measure.share, 'double precision');
      return `percentile_cont(${share}) WITHIN GROUP (ORDER BY ${value})`;
    }
    return `${measure.of}(${value})`;
  }

  private valueSql(value: RowValue): string {
    switch (value.kind) {
      case 'column':
        return this.columnSql(value.of);
      case 'product':
      case 'difference': {
        const [one, other] = value.of.map((path) => `${this.columnSql(path)}::numeric`);
        return `(${one} ${value.kind === 'product' ? '*' : '-'} ${other})`;
      }
      case 'hoursInStatus':
        return `hours.${this.nameHours(value)}`;
      default: {
        const seconds = `extract(epoch FROM (${this.timeSql(value.to)} - ${this.timeSql(value.from)}))`;
        return `(${seconds} / ${value.kind === 'hours' ? 3600 : 86_400})`;
      }
    }
  }

  /** The column of `hoursJoin` with the hours in a status. */
  private nameHours({ status, until }: Extract<RowValue, { kind: 'hoursInStatus' }>): string {
    const known = this.statuses.get(status) ?? { name: `h${this.statuses.size}`, until };
    this.statuses.set(status, known);
    return known.name;
  }

  /** Joins the hours that each row had the measured statuses: of the same rows alone, in one step for all of them. */
  private hoursJoin(): string[] {
    if (this.statuses.size === 0) return [];
    const { where, parents } = this.query;
    const periods = modelOf('StatusPeriod');
    const [row, period] = [this.statement.alias(this.model), this.statement.alias(periods)];
    const values = [...this.statuses.keys()].map(
      (member) => mappedValuesOf(columnOf(this.model, 'status').type)[member],
    );
    // Intervals are added faster than numbers of seconds, and as exactly.
    const hours = [...this.statuses.values()].map(({ name, until }, n) => {
      const end = this.statement.value(until.toISOString(), 'timestamptz');
      const isStatus = `${period}.status = ${this.statement.value(values[n], 'text')}`;
      return `extract(epoch FROM sum(coalesce(left_at, ${end}) - entered_at) FILTER (WHERE ${isStatus})) / 3600 AS ${name}`;
    });
    const isMeasured =
      `${period}.table_name = '${this.model.table}' AND ` +
      `${period}.status = ANY(${this.statement.value(values, 'text[]')})`;
    // For all rows of a company, the periods can be read without the rows.
    const counted =
      !parents && companyOf(where) !== undefined && isWholeCompany(where)
        ? `SELECT ${period}.row_id AS id, ${hours.join(', ')} FROM "${periods.table}" AS ${period} ` +
          `WHERE ${allOf(conditionsOf(this.statement, periods, period, where))} AND ${isMeasured} GROUP BY ${period}.row_id`
        : `SELECT ${row}.id, ${hours.join(', ')} FROM "${this.model.table}" AS ${row} ` +
          `JOIN "${periods.table}" AS ${period} ON ${period}.company_id = ${row}.company_id AND ${isMeasured} ` +
          `AND ${period}.row_id = ${row}.id WHERE ${allOf(this.conditions(row))} GROUP BY ${row}.id`;
    return [
      // MATERIALIZED, as otherwise each parallel worker would compute all hours.
      `LEFT JOIN (WITH counted AS MATERIALIZED (${counted}) SELECT * FROM counted) AS hours ON hours.id = ${this.alias}.id`,
    ];
  }

  private timeSql(value: ColumnPath | Date): string {
    if (value instanceof Date) return this.statement.value(value.toISOString(), 'timestamptz');
    const sql = this.columnSql(value);
    return this.columnOf(value).type === 'Date' ? `(${sql}::timestamp AT TIME ZONE 'UTC')` : sql;
  }
}
