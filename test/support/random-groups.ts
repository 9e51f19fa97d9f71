// Random groups of the rows of a list, and an interpreter over rows in memory of what GraphQL must answer for them.

import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isEnumType, isLeafType } from 'graphql';
import { DateTime, type DateTimeUnit } from 'luxon';
import { Prisma } from '../../src/database/generated/client/client.ts';
import { date } from '../../src/fields/index.ts';
import { modelFacts } from '../../src/resource/index.ts';
import type { Row } from './client.ts';
import type { FilterModel, TypeOf } from './filter-model.ts';
import { Random } from './random.ts';
import { modelOf } from './resources.ts';

/** A key: the fields that lead to it, of which the last of a date is a part. */
export type KeyPath = readonly string[];

/** A measure: a column and a function of its values, or of the rows. */
export interface RandomMeasure {
  readonly name: string;
  readonly column: string;
  readonly of: string;
}

/** What is asked of groups. */
export interface RandomGroup {
  readonly keys: readonly KeyPath[];
  readonly measures: readonly RandomMeasure[];
  readonly timeZone: string;
}

const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Auckland'];
/** The share of the percentiles. */
export const share = 0.25;

/** Creates random groups of a schema's lists. */
export class RandomGroups extends Random {
  constructor(
    seed: number,
    private readonly schema: GraphQLSchema,
  ) {
    super(seed);
  }

  /** Keys and measures of the rows of a type. */
  group(type: string): RandomGroup {
    const keys = Array.from({ length: this.integer(4) }, () => this.key(type, 2));
    return {
      keys: [...new Map(keys.map((key) => [key.join('.'), key])).values()],
      measures: this.measures(type),
      timeZone: this.pick(zones),
    };
  }

  private key(type: string, depth: number): KeyPath {
    const fields = Object.values(this.object(`${type}Key`).getFields());
    const isRelation = (name: string) => /Key$/.test(name) && !/^Date(Time)?Key$/.test(name);
    const relations = fields.filter(({ type }) => isRelation(getNamedType(type).name));
    if (depth > 0 && relations.length > 0 && this.chance(0.4)) {
      const relation = this.pick(relations);
      const target = getNamedType(relation.type).name.replace(/Key$/, '');
      return [relation.name, ...this.key(target, depth - 1)];
    }
    const own = this.pick(fields.filter((field) => !relations.includes(field)));
    const parts = getNamedType(own.type);
    if (isLeafType(parts)) return [own.name];
    return [own.name, this.pick(Object.keys((parts as GraphQLObjectType).getFields()))];
  }

  private measures(type: string): RandomMeasure[] {
    const fields = Object.values(this.object(`${type}Aggregate`).getFields());
    const sort = this.schema.getType(`${type}Sort`);
    const columns = isEnumType(sort) ? sort.getValues().map(({ value }) => String(value)) : [];
    const all = fields.flatMap(({ name: column, type: of }): Omit<RandomMeasure, 'name'>[] => {
      const below = getNamedType(of);
      if (column === 'countDistinct') return [{ column: this.pick(columns), of: column }];
      // Declared measures have examples of their own.
      if (!/^(Number|Date|DateTime)Aggregate$/.test(below.name) || !columns.includes(column)) return [];
      return Object.keys((below as GraphQLObjectType).getFields()).map((of) => ({ column, of }));
    });
    return this.some(all, 3).map((measure, n) => ({ ...measure, name: `m${n}` }));
  }

  private object(name: string): GraphQLObjectType {
    return this.schema.getType(name) as GraphQLObjectType;
  }
}

/** The selection of a group. */
export function selectionOf({ keys, measures }: RandomGroup): string {
  const key = keys.map(
    (path, n) => `k${n}: key { ${path.reduceRight((inner, name) => `${name} ${inner && `{ ${inner} }`}`, '')} }`,
  );
  const constant = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  const measure = measures.map(({ name, column, of }) => {
    if (of === 'countDistinct') return `${name}: countDistinct(of: ${constant(column)})`;
    return `${name}: ${column} { value: ${of}${of === 'percentile' ? `(p: ${share})` : ''} }`;
  });
  return `{ count ${[...key, ...measure].join(' ')} }`;
}

/** The groups that rows make, by their keys in JSON. */
export function groupRows(
  model: FilterModel,
  type: string,
  rows: readonly Row[],
  { keys, measures, timeZone }: RandomGroup,
  typeOf: TypeOf,
): Map<string, Row> {
  const groups = new Map<string, { key: Row; rows: Row[] }>();
  if (keys.length === 0) groups.set('{}', { key: {}, rows: [] });
  for (const row of rows) {
    const key: Row = {};
    for (const [n, path] of keys.entries()) key[`k${n}`] = keyOf(model, type, row, path, timeZone, typeOf);
    const name = JSON.stringify(key);
    const group = groups.get(name) ?? { key, rows: [] };
    groups.set(name, group);
    group.rows.push(row);
  }
  return new Map(
    [...groups].map(([name, group]) => [
      name,
      {
        ...group.key,
        count: group.rows.length,
        ...Object.fromEntries(measures.map((measure) => [measure.name, measured(measure, group.rows)])),
      },
    ]),
  );
}

/** A key's value, as the response nests it. */
function keyOf(
  model: FilterModel,
  type: string,
  row: Row | undefined,
  [name = '', ...rest]: KeyPath,
  zone: string,
  typeOf: TypeOf,
): Row {
  const to = typeOf(type, name);
  if (to) {
    const [related] = row ? model.related(type, row, name, to.type) : [];
    return { [name]: keyOf(model, to.type, related, rest, zone, typeOf) };
  }
  const value = row?.[name] ?? null;
  const [part] = rest;
  if (!part) return { [name]: value };
  return { [name]: { [part]: value === null ? null : partOf(value as Date, part, isDay(type, name) ? 'utc' : zone) } };
}

/** Whether a column is a date, which is midnight UTC in every time zone. */
function isDay(type: string, name: string): boolean {
  const model = modelOf(type);
  return model !== undefined && modelFacts(model).stored[name]?.type === date;
}

function partOf(value: Date, part: string, zone: string): unknown {
  const time = DateTime.fromJSDate(value, { zone });
  if (part === 'weekday') return time.weekday;
  if (part === 'hour') return time.hour;
  return time.startOf(part as DateTimeUnit).toISODate();
}

function measured({ column, of }: RandomMeasure, rows: readonly Row[]): unknown {
  const values = rows.map((row) => row[column] ?? null).filter((value) => value !== null);
  if (of === 'countDistinct') return new Set(values.map((value) => JSON.stringify(value))).size;
  if (values.length === 0) return { value: null };
  const isTime = values[0] instanceof Date;
  if (isTime) {
    const times = values.map((value) => (value as Date).getTime());
    return { value: new Date(of === 'min' ? Math.min(...times) : Math.max(...times)) };
  }
  const numbers = values
    .map((value) => new Prisma.Decimal(value as number))
    .sort((one, other) => one.comparedTo(other));
  const sum = numbers.reduce((all, each) => all.plus(each), new Prisma.Decimal(0));
  const place = (numbers.length - 1) * share;
  const [below, above] = [numbers[Math.floor(place)], numbers[Math.ceil(place)]] as [Prisma.Decimal, Prisma.Decimal];
  const outcome: Readonly<Record<string, Prisma.Decimal>> = {
    sum,
    avg: sum.div(numbers.length),
    min: numbers[0] as Prisma.Decimal,
    max: numbers.at(-1) as Prisma.Decimal,
    percentile: below.plus(above.minus(below).times(place - Math.floor(place))),
  };
  return { value: outcome[of]?.toNumber() };
}
