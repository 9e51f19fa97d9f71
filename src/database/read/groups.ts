// Groups of rows, with their measures, as one statement.
import { allOf, conditionsOf, type Where } from './conditions.ts';
import { type Decoder, textDecoder } from './decode.ts';
import type { Compiled } from './find.ts';
import { columnOf, columnSql, joinSql, modelOf, type SqlColumn, type SqlModel } from './models.ts';
import { Statement } from './statement.ts';

/** The parts of a date or time that rows are grouped by: the first day of a period, or a number. */
export const dateParts = ['day', 'week', 'month', 'quarter', 'year', 'weekday', 'hour'] as const;
export type DatePart = (typeof dateParts)[number];

/** A relation to one row, and the condition that this row must match; without the row, its columns are null. */
export interface GroupJoin {
  readonly relation: string;
  readonly where: Where;
}

/** A column of the rows, or of a row that they refer to. */
export interface ColumnPath {
  readonly joins: readonly GroupJoin[];
  readonly column: string;
}

/** A value of each row: a column, or what is computed from two. A time may also be a fixed one. */
export type RowValue =
  | { readonly kind: 'column'; readonly of: ColumnPath }
  | {
      readonly kind: 'hours' | 'days';
      readonly from: ColumnPath | Date;
      readonly to: ColumnPath | Date;
    }
  | { readonly kind: 'product' | 'difference'; readonly of: readonly [ColumnPath, ColumnPath] };

/** What groups are formed by. */
export interface GroupKey {
  readonly value: ColumnPath;
  readonly part?: DatePart;
}

/** What is computed of the rows of a group. */
export type Measure =
  | { readonly of: 'count' }
  | { readonly of: 'countDistinct' | 'sum' | 'avg' | 'min' | 'max'; readonly value: RowValue }
  | { readonly of: 'percentile'; readonly value: RowValue; readonly share: number };

/** A condition on a measure, by its place. */
export interface MeasureCondition {
  readonly measure: number;
  readonly operator: '=' | '<>' | '<' | '<=' | '>' | '>=';
  readonly operand: number;
}

/** A key or measure that groups are sorted by, by its place. */
export interface GroupSort {
  readonly by: 'key' | 'measure';
  readonly place: number;
  readonly direction: 'ASC' | 'DESC';
}

/** The rows whose lists are grouped: a group for each of them. */
export interface GroupParents {
  readonly model: string;
  readonly ids: readonly string[];
  /** Their relation to the rows, or to a join table. */
  readonly relation: string;
  readonly through?: { readonly to: string; readonly where: Where };
}

/** Groups of the rows that a condition matches. */
export interface GroupQuery {
  readonly where: Where;
  readonly keys: readonly GroupKey[];
  readonly measures: readonly Measure[];
  readonly having: readonly MeasureCondition[];
  readonly orderBy: readonly GroupSort[];
  readonly limit: number;
  /** The time zone in which times have their day and hour. */
  readonly timeZone: string;
  /** The values that keys shall have groups for, also without rows: first days in ISO 8601, or numbers. */
  readonly fill: readonly { readonly key: number; readonly values: readonly (string | number)[] }[];
  readonly parents?: GroupParents;
}

/** A group: the values of its keys and measures, in the order of the query. */
export interface FoundGroup {
  /** The row whose list is grouped, if there are several. */
  readonly parent?: string;
  readonly keys: readonly unknown[];
  readonly measures: readonly unknown[];
}

/** Compiles groups. */
export function compileGroups(name: string, query: GroupQuery): Compiled<FoundGroup> {
  const compiler = new GroupCompiler(modelOf(name), query);
  const { keys, measures, parents } = query;
  const text = compiler.compile();
  const decoders = [...keys.map((key) => compiler.keyDecoder(key)), ...measures.map((one) => compiler.decoder(one))];
  const first = parents ? 1 : 0;
  return {
    text,
    values: compiler.statement.values,
    tables: compiler.statement.tables,
    decode: (values) => {
      const found = decoders.map((decode, n) => {
        const value = values[first + n] ?? null;
        return value === null ? null : decode(value as never);
      });
      return {
        ...(parents && { parent: values[0] as string }),
        keys: found.slice(0, keys.length),
        measures: found.slice(keys.length),
      };
    },
  };
}

const decoderOf = (type: string) => textDecoder({ type, enum: false, list: false, hasDefault: false });
const [integer, decimal, date] = [decoderOf('Int'), decoderOf('Decimal'), decoderOf('Date')];

class GroupCompiler {
  readonly statement = new Statement();
  readonly alias: string;
  /** Path of relations → the alias and model of the row it leads to. */
  private readonly joined = new Map<string, { readonly alias: string; readonly model: SqlModel }>();
  private readonly joins: string[] = [];
  private zone: string | undefined;

  constructor(
    readonly model: SqlModel,
    private readonly query: GroupQuery,
  ) {
    this.alias = this.statement.alias(model);
  }

  compile(): string {
    const { having, orderBy, limit, keys, parents } = this.query;
    const sorted = new Set(orderBy.filter(({ by }) => by === 'key').map(({ place }) => place));
    const order = [
      ...orderBy.map(({ by, place, direction }) => `${by === 'key' ? 'k' : 'm'}${place} ${direction} NULLS LAST`),
      ...keys.flatMap((_, n) => (sorted.has(n) ? [] : [`k${n} ASC NULLS LAST`])),
    ];
    const conditions = having.map(
      ({ measure, operator, operand }) => `m${measure} ${operator} ${this.statement.value(operand, 'numeric')}`,
    );
    const groups = [
      `SELECT * FROM (${this.filled(this.groups())}) AS g`,
      conditions.length > 0 && `WHERE ${allOf(conditions)}`,
      order.length > 0 && `ORDER BY ${order.join(', ')}`,
      `LIMIT ${limit}`,
    ];
    const text = groups.filter(Boolean).join(' ');
    if (!parents) return text;
    const ids = this.statement.value(parents.ids, 'uuid[]');
    return `SELECT p.id, q.* FROM unnest(${ids}) AS p(id) CROSS JOIN LATERAL (${text}) AS q`;
  }

  keyDecoder({ value, part }: GroupKey): Decoder {
    if (part) return part === 'weekday' || part === 'hour' ? integer : date;
    return textDecoder(this.columnOf(value));
  }

  decoder(measure: Measure): Decoder {
    if (measure.of === 'count' || measure.of === 'countDistinct') return integer;
    const isExtreme = measure.of === 'min' || measure.of === 'max';
    return isExtreme && measure.value.kind === 'column' ? textDecoder(this.columnOf(measure.value.of)) : decimal;
  }

  private groups(): string {
    const { where, keys, measures, parents } = this.query;
    const selected = [
      ...keys.map((key, n) => `${this.keySql(key)} AS k${n}`),
      ...measures.map((measure, n) => `${this.measureSql(measure)} AS m${n}`),
    ];
    const conditions = [
      ...(parents ? [this.belongsTo(parents)] : []),
      ...conditionsOf(this.statement, this.model, this.alias, where),
    ];
    return [
      `SELECT ${selected.join(', ')} FROM "${this.model.table}" AS ${this.alias}`,
      ...this.joins,
      `WHERE ${allOf(conditions)}`,
      keys.length > 0 && `GROUP BY ${keys.map((_, n) => n + 1).join(', ')}`,
    ]
      .filter(Boolean)
      .join(' ');
  }

  /** Adds the groups without rows: each value of the filled keys with those that the other keys have together. */
  private filled(groups: string): string {
    const { keys, measures, fill } = this.query;
    if (fill.length === 0) return groups;
    const filledKeys = new Set(fill.map(({ key }) => key));
    const values = fill.map(({ key, values: of }) => {
      const type = typeof of[0] === 'number' ? 'integer' : 'date';
      return `unnest(${this.statement.value(of, `${type}[]`)}) AS f${key}(k${key})`;
    });
    const others = keys.flatMap((_, n) => (filledKeys.has(n) ? [] : [`k${n}`]));
    const from = [
      ...values,
      ...(others.length > 0 ? [`(SELECT DISTINCT ${others.join(', ')} FROM found) AS others`] : []),
    ];
    const empty = measures.map(({ of }) => (of === 'count' || of === 'countDistinct' ? '0' : 'NULL'));
    const names = keys.map((_, n) => `k${n}`);
    // A group without rows and one with rows become one by their maxima.
    const merged = measures.map((_, n) => `max(m${n}) AS m${n}`);
    return (
      `WITH found AS (${groups}) SELECT ${[...names, ...merged].join(', ')} FROM ` +
      `(SELECT * FROM found UNION ALL SELECT ${[...names, ...empty].join(', ')} FROM ${from.join(' CROSS JOIN ')}) AS u ` +
      `GROUP BY ${names.join(', ')}`
    );
  }

  private belongsTo({ model: name, relation, through }: GroupParents): string {
    const parent = modelOf(name);
    const join = parent.joins[relation];
    const column = join?.on.find(([mine]) => mine === 'id')?.[1];
    if (!join || column === undefined) throw new Error(`${parent.table} has no list ${relation}.`);
    const target = modelOf(join.model);
    const refersTo = (alias: string) => `${columnSql(alias, column, columnOf(target, column))} = p.id`;
    if (!through) return refersTo(this.alias);
    const link = this.statement.alias(target);
    const next = target.joins[through.to];
    if (!next) throw new Error(`${target.table} has no relation ${through.to}.`);
    const conditions = [
      refersTo(link),
      joinSql(target, link, next, this.alias),
      ...conditionsOf(this.statement, target, link, through.where),
    ];
    return `EXISTS (SELECT 1 FROM "${target.table}" AS ${link} WHERE ${allOf(conditions)})`;
  }

  /** The row that relations lead to, joined once. */
  private rowOf(joins: readonly GroupJoin[]): { readonly alias: string; readonly model: SqlModel } {
    const last = joins.at(-1);
    if (!last) return this;
    const path = joins.map(({ relation }) => relation).join('.');
    const known = this.joined.get(path);
    if (known) return known;
    const from = this.rowOf(joins.slice(0, -1));
    const join = from.model.joins[last.relation];
    if (!join) throw new Error(`${from.model.table} has no relation ${last.relation}.`);
    const model = modelOf(join.model);
    const alias = this.statement.alias(model);
    const conditions = [
      joinSql(from.model, from.alias, join, alias),
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

  private measureSql(measure: Measure): string {
    if (measure.of === 'count') return 'count(*)';
    const value = this.valueSql(measure.value);
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
      default: {
        const seconds = `extract(epoch FROM (${this.timeSql(value.to)} - ${this.timeSql(value.from)}))`;
        return `(${seconds} / ${value.kind === 'hours' ? 3600 : 86_400})`;
      }
    }
  }

  private timeSql(value: ColumnPath | Date): string {
    if (value instanceof Date) return this.statement.value(value.toISOString(), 'timestamptz');
    const sql = this.columnSql(value);
    return this.columnOf(value).type === 'Date' ? `(${sql}::timestamp AT TIME ZONE 'UTC')` : sql;
  }
}
