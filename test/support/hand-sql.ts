// Filters, orders and groups as SQL, in the plainest way: what GraphQL's lists must answer, without the kit's compiler.

import facts from '../../src/database/generated/facts.ts';
import type { Row } from './client.ts';
import { camelCase, modelNamed, saysNothing, stepsOf, type TypeOf } from './filter-model.ts';
import { type KeyPath, type RandomGroup, type RandomMeasure, share } from './random-groups.ts';

interface Model {
  readonly table: string;
  readonly columns: Readonly<Record<string, { readonly databaseName?: string; type: string; enum: boolean }>>;
  readonly joins: Readonly<
    Record<string, { readonly model: string; readonly on: readonly (readonly [string, string])[] }>
  >;
}

const models: Readonly<Record<string, Model>> = facts.models;
const enums: Readonly<Record<string, { databaseType: string; mappedValues: Readonly<Record<string, string>> }>> =
  facts.enums;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Writes SQL over the rows that one caller can read. */
export class HandSql {
  private aliases = 0;

  constructor(
    private readonly me: { readonly companyId: string; readonly userId: string },
    private readonly typeOf: TypeOf,
  ) {}

  /** Selects the number of rows that match. */
  total(type: string, filter: Row): string {
    return `SELECT count(*)::int AS total ${this.from(type, 't', filter)}`;
  }

  /** Selects the ids of a page's rows. @param fromEnd whether the page is the last one, in the opposite order */
  page(type: string, filter: Row, orderBy: readonly Row[], size: number, fromEnd = false): string {
    const keys = orderBy.map(({ direction, ...key }) => {
      const descends = (direction === 'DESC') !== fromEnd;
      return `${this.orderSql(type, 't', key)} ${descends ? 'DESC' : 'ASC'} NULLS ${fromEnd ? 'FIRST' : 'LAST'}`;
    });
    return `SELECT t.id ${this.from(type, 't', filter)} ORDER BY ${keys.join(', ')} LIMIT ${size}`;
  }

  /** Selects the first groups by their keys: `k0`, `k1`, …, `count`, and the measures by their names. */
  groups(type: string, filter: Row, { keys, measures, timeZone }: RandomGroup, size: number): string {
    const values = [
      ...keys.map((path, n) => `${this.keySql(type, 't', path, timeZone)} AS k${n}`),
      ...measures.map(({ name, column }) => `${columnSql(type, 't', column)} AS ${name}`),
      '1 AS one',
    ];
    const names = keys.map((_, n) => `k${n}`);
    const selected = [...names.map(inText), 'count(*)::int AS count', ...measures.map(measureSql)];
    const grouped = names.length > 0 ? `GROUP BY ${names.map((name) => `v.${name}`).join(', ')}` : '';
    const ordered = names.length > 0 ? `ORDER BY ${names.map((name) => `v.${name} NULLS LAST`).join(', ')}` : '';
    return `WITH v AS (SELECT ${values.join(', ')} ${this.from(type, 't', filter)})
      SELECT ${selected.join(', ')} FROM v ${grouped} ${ordered} LIMIT ${size}`;
  }

  private from(type: string, alias: string, filter: Row): string {
    const { table, columns } = modelSql(type);
    const own = 'companyId' in columns ? 'company_id' : 'id';
    const company = `${alias}.${own} = '${this.me.companyId}'`;
    const conditions = [company, this.visible(type, alias), this.where(type, alias, filter)];
    return `FROM "${table}" AS ${alias} WHERE ${conditions.join(' AND ')}`;
  }

  /** Private notes are their author's; threads belong to service requests or to move requests. */
  private visible(type: string, alias: string): string {
    if (type === 'Note') return `(${alias}.user_id = '${this.me.userId}' OR ${alias}.is_shared)`;
    const [, kind] = /^(Service|Move)Request(?=Comment|TimeLog|ActivityEntry)/.exec(type) ?? [];
    return kind ? `${alias}.${kind.toLowerCase()}_request_id IS NOT NULL` : 'TRUE';
  }

  /** A condition that is true or false, and never null. */
  private where(type: string, alias: string, filter: Row): string {
    return all(
      Object.entries(filter).map(([name, value]) => {
        const inner = value as Row;
        if (saysNothing({ [name]: value })) return all([]);
        if (name === 'and') return all((value as Row[]).map((each) => this.where(type, alias, each)));
        if (name === 'or') return any((value as Row[]).map((each) => this.where(type, alias, each)));
        if (name === 'not') return `NOT ${this.where(type, alias, inner)}`;
        const to = this.typeOf(type, name);
        if (!to)
          return all(Object.entries(inner).map(([operator, operand]) => holds(type, alias, name, operator, operand)));
        if (!to.list) return this.exists(type, alias, name, to.type, inner);
        return all(
          Object.entries(inner).map(([quantifier, filter]) => {
            if (quantifier === 'every') return `NOT ${this.exists(type, alias, name, to.type, { not: filter })}`;
            return `${quantifier === 'none' ? 'NOT ' : ''}${this.exists(type, alias, name, to.type, filter as Row)}`;
          }),
        );
      }),
    );
  }

  private exists(type: string, alias: string, relation: string, target: string, filter: Row): string {
    const rows = this.joined(type, alias, relation, (last) => ({
      selected: '1',
      where: `${this.visible(target, last)} AND ${this.where(target, last, filter)}`,
    }));
    return `EXISTS ${rows}`;
  }

  /** A subquery of the rows that a relation leads to. */
  private joined(
    type: string,
    alias: string,
    relation: string,
    of: (last: string) => { readonly selected: string; readonly where: string },
  ): string {
    const tables: string[] = [];
    const conditions: string[] = [];
    let [model, from] = [modelNamed(type), alias];
    for (const step of stepsOf(type, relation)) {
      const join = models[model]?.joins[step];
      if (!join) throw new Error(`${model} has no relation ${step}`);
      const next = `j${++this.aliases}`;
      tables.push(`"${modelSql(join.model).table}" AS ${next}`);
      for (const [mine, theirs] of join.on)
        conditions.push(`${columnSql(model, from, mine)} = ${columnSql(join.model, next, theirs)}`);
      [model, from] = [join.model, next];
    }
    const { selected, where } = of(from);
    return `(SELECT ${selected} FROM ${tables.join(', ')} WHERE ${[...conditions, where].join(' AND ')})`;
  }

  private orderSql(type: string, alias: string, key: Row): string {
    const [[name, inner] = ['', '']] = Object.entries(key);
    if (name === 'field') return sortedSql(type, alias, camelCase(inner as string));
    const target = this.typeOf(type, name)?.type ?? '';
    return this.joined(type, alias, name, (last) => ({
      selected: this.orderSql(target, last, inner as Row),
      where: 'TRUE',
    }));
  }

  private keySql(type: string, alias: string, [name = '', ...rest]: KeyPath, zone: string): string {
    const to = this.typeOf(type, name);
    if (to)
      return this.joined(type, alias, name, (last) => ({
        selected: this.keySql(to.type, last, rest, zone),
        where: this.visible(to.type, last),
      }));
    const sql = columnSql(type, alias, name);
    const [part] = rest;
    if (!part) return sortedSql(type, alias, name);
    if (part.startsWith('bucket(')) return bucketSql(sql, part);
    const isDate = modelSql(type).columns[name]?.type === 'Date';
    return partSql(isDate ? `${sql}::timestamp` : `(${sql} AT TIME ZONE '${zone}')`, part);
  }
}

const all = (conditions: readonly string[]) => `(${conditions.join(' AND ') || 'TRUE'})`;
const any = (conditions: readonly string[]) => `(${conditions.join(' OR ') || 'FALSE'})`;

function modelSql(type: string): Model {
  const found = models[modelNamed(type)];
  if (!found) throw new Error(`there is no model of ${type}`);
  return found;
}

function columnSql(type: string, alias: string, name: string): string {
  const column = modelSql(type).columns[name];
  if (!column) throw new Error(`${type} has no column ${name}`);
  return `${alias}."${column.databaseName ?? name}"`;
}

/** A column in the order of lists. */
const sortedSql = (type: string, alias: string, name: string) => {
  const sql = columnSql(type, alias, name);
  return modelSql(type).columns[name]?.type === 'String' ? `${sql} COLLATE "und-x-icu"` : sql;
};

const bounds: Readonly<Record<string, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** A tracking number without spaces and hyphens, its letters a to z as capitals. */
const trackingKey = (text: string) => text.replace(/[\s-]/g, '').replace(/[a-z]+/g, (letters) => letters.toUpperCase());

/** One operator, which no unset value matches but `isNull`, `ne` and `notIn`. */
function holds(type: string, alias: string, name: string, operator: string, operand: unknown): string {
  const isKey = name === 'trackingNumber';
  const sql =
    name === 'lowStock'
      ? `coalesce(${alias}.quantity < ${alias}.reorder_point, FALSE)`
      : columnSql(type, alias, isKey ? 'trackingKey' : name);
  const literal = (value: unknown) => literalSql(type, name, isKey ? trackingKey(String(value)) : value);
  const isAnyOf = () => any((operand as unknown[]).map((value) => `${sql} = ${literal(value)}`));
  switch (operator) {
    case 'isNull':
      return `(${sql} IS ${operand === true ? '' : 'NOT '}NULL)`;
    case 'eq':
      return `coalesce(${sql} = ${literal(operand)}, FALSE)`;
    case 'ne':
      return `coalesce(${sql} <> ${literal(operand)}, TRUE)`;
    case 'in':
      return `coalesce(${isAnyOf()}, FALSE)`;
    case 'notIn':
      return `NOT coalesce(${isAnyOf()}, FALSE)`;
    case 'contains':
      return `coalesce(strpos(lower(${sql}), lower(${literal(operand)})) > 0, FALSE)`;
    case 'startsWith':
      return `coalesce(starts_with(lower(${sql}), lower(${literal(operand)})), FALSE)`;
    default:
      return `coalesce(${sortedSql(type, alias, isKey ? 'trackingKey' : name)} ${bounds[operator]} ${literal(operand)}, FALSE)`;
  }
}

function literalSql(type: string, name: string, value: unknown): string {
  const column = modelSql(type).columns[name];
  if (column?.enum) {
    const { databaseType, mappedValues } = enums[column.type] ?? { databaseType: '', mappedValues: {} };
    return `${quoted(mappedValues[value as string] ?? '')}::"${databaseType}"`;
  }
  if (typeof value !== 'string') return String(value);
  return /^Date/.test(column?.type ?? '')
    ? `${quoted(value)}::${column?.type === 'Date' ? 'date' : 'timestamptz'}`
    : quoted(value);
}

/** The lower bound of the range of numbers that a number is in, as `bucket(size: 2.5)` or `bucket(bounds: [1, 3])`. */
function bucketSql(number: string, bucket: string): string {
  const given = bucket.match(/[\d.]+/g) ?? [];
  if (bucket.includes('size')) return `floor(${number} / ${given[0]}) * ${given[0]}`;
  return `CASE ${given
    .toReversed()
    .map((bound) => `WHEN ${number} >= ${bound} THEN ${bound}`)
    .join(' ')} END`;
}

/** A part of a local time, written as a date or number. */
function partSql(time: string, part: string): string {
  switch (part) {
    case 'weekday':
      return `to_char(${time}, 'ID')::int`;
    case 'hour':
      return `to_char(${time}, 'HH24')::int`;
    case 'day':
      return `to_char(${time}, 'YYYY-MM-DD')`;
    case 'week':
      return `to_char(${time} - make_interval(days => to_char(${time}, 'ID')::int - 1), 'YYYY-MM-DD')`;
    case 'month':
      return `to_char(${time}, 'YYYY-MM-01')`;
    case 'quarter':
      return `to_char(${time}, 'YYYY-') || lpad((to_char(${time}, 'Q')::int * 3 - 2)::text, 2, '0') || '-01'`;
    default:
      return `to_char(${time}, 'YYYY-01-01')`;
  }
}

/** A key as text, whatever its type. */
const inText = (name: string) => `v.${name}::text AS ${name}`;

function measureSql({ name, of }: RandomMeasure): string {
  const value = {
    countDistinct: `count(DISTINCT ${name})`,
    percentile: `percentile_cont(${share}) WITHIN GROUP (ORDER BY ${name})`,
  }[of];
  return `(${value ?? `${of}(${name})`})::text AS ${name}`;
}
