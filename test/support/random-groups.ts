// Random groups of the rows of a list, and an interpreter over rows in memory of what GraphQL must answer for them.

import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
} from 'graphql';
import { DateTime, type DateTimeUnit } from 'luxon';
import { Prisma } from '../../src/database/generated/client/client.ts';
import { date } from '../../src/fields/index.ts';
import { modelFacts } from '../../src/resource/index.ts';
import type { Row } from './client.ts';
import type { FilterModel, TypeOf } from './filter-model.ts';
import { Random } from './random.ts';
import { drawFigure, listsWithFirst } from './random-figures.ts';
import { modelOf } from './resources.ts';

/** A key: the fields that lead to it, of which the last of a date is a part. */
export type KeyPath = readonly string[];

/** A measure: a column and a function of its values, or of the rows. */
export interface RandomMeasure {
  readonly name: string;
  readonly column: string;
  readonly of: string;
  readonly isNumber: boolean;
  /** The list until whose first row the hours are measured. */
  readonly list?: string;
  /** The rows that are measured; by default all. */
  readonly where?: Row | undefined;
  readonly whereText?: string | undefined;
}

/** What is asked of groups. */
export interface RandomGroup {
  readonly keys: readonly KeyPath[];
  readonly measures: readonly RandomMeasure[];
  readonly timeZone: string;
}

const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Auckland'];
/** Ranges of numbers, with the lower bound of each number's. */
const buckets: Readonly<Record<string, (value: number) => number | null>> = {
  'bucket(size: 2.5)': (value) => Math.floor(value / 2.5) * 2.5,
  'bucket(bounds: [1, 3, 100])': (value) => [100, 3, 1].find((bound) => value >= bound) ?? null,
};

/** The share of the percentiles. */
export const share = 0.25;

/** Creates random groups of a schema's lists. */
export class RandomGroups extends Random {
  constructor(
    seed: number,
    private readonly schema: GraphQLSchema,
    private readonly filterOf?: (type: string) => Row,
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
    const figure = this.filterOf && this.chance(0.15) ? drawFigure(this, this.schema, type) : undefined;
    if (figure !== undefined) return [`measure(of: "${figure}")`, this.pick(Object.keys(buckets))];
    const filter = this.schema.getType(`${type}Filter`);
    const columns = new Set(
      isInputObjectType(filter)
        ? Object.values(filter.getFields()).flatMap(({ name, extensions }) => (extensions.stored ? [name] : []))
        : [],
    );
    const fields = Object.values(this.object(`${type}Key`).getFields());
    const isRelation = (name: string) => /Key$/.test(name) && !/^(Date|DateTime|Number)Key$/.test(name);
    const relations = fields.filter(({ type }) => isRelation(getNamedType(type).name));
    if (depth > 0 && relations.length > 0 && this.chance(0.4)) {
      const relation = this.pick(relations);
      const target = getNamedType(relation.type).name.replace(/Key$/, '');
      return [relation.name, ...this.key(target, depth - 1)];
    }
    // Declared measures have examples of their own.
    const isColumn = ({ name }: { name: string }) => columns.has(name);
    const own = this.pick(fields.filter((field) => !relations.includes(field) && isColumn(field)));
    const parts = getNamedType(own.type);
    if (isLeafType(parts)) return [own.name];
    if (parts.name === 'NumberKey') return [own.name, this.pick(Object.keys(buckets))];
    return [own.name, this.pick(Object.keys((parts as GraphQLObjectType).getFields()))];
  }

  private measures(type: string): RandomMeasure[] {
    const fields = Object.values(this.object(`${type}Aggregate`).getFields());
    const sort = this.schema.getType(`${type}Sort`);
    const columns = isEnumType(sort) ? sort.getValues().map(({ value }) => String(value)) : [];
    const all = fields.flatMap(({ name: column, type: of }): Omit<RandomMeasure, 'name'>[] => {
      const below = getNamedType(of);
      if (column === 'countDistinct') return [{ column: this.pick(columns), of: column, isNumber: true }];
      // Declared measures have examples of their own.
      if (!/^(Number|Date|DateTime)Aggregate$/.test(below.name) || !columns.includes(column)) return [];
      const isNumber = below.name === 'NumberAggregate';
      return Object.keys((below as GraphQLObjectType).getFields()).map((of) => ({ column, of, isNumber }));
    });
    const filter = this.schema.getType(`${type}Filter`);
    const counted = this.filterOf ? [{ column: 'count', of: 'count', isNumber: true }] : [];
    const lists = this.filterOf ? listsWithFirst(this.schema, type) : [];
    const firsts = lists.map((list) => {
      const of = this.pick(['sum', 'avg', 'min', 'max', 'percentile']);
      return { column: 'hoursToFirst', of, isNumber: true, list };
    });
    return this.some([...counted, ...this.some(firsts, 1), ...all], 3).map((measure, n) => {
      const where = this.chance(0.4) ? this.filterOf?.(type) : undefined;
      return { ...measure, name: `m${n}`, where, whereText: where && literalOf(where, filter) };
    });
  }

  private object(name: string): GraphQLObjectType {
    return this.schema.getType(name) as GraphQLObjectType;
  }
}

/** An input as GraphQL writes it, in which the constants of enums have no quotes. */
function literalOf(value: unknown, type: GraphQLNamedType | undefined): string {
  if (Array.isArray(value)) return `[${value.map((each) => literalOf(each, type)).join(', ')}]`;
  if (isEnumType(type)) return String(value);
  if (!isInputObjectType(type)) return JSON.stringify(value);
  const fields = type.getFields();
  const parts = Object.entries(value as Row).map(
    ([name, inner]) => `${name}: ${literalOf(inner, getNamedType(fields[name]?.type))}`,
  );
  return `{ ${parts.join(', ')} }`;
}

/** The selection of a group. */
export function selectionOf({ keys, measures }: RandomGroup): string {
  const key = keys.map(
    (path, n) => `k${n}: key { ${path.reduceRight((inner, name) => `${name} ${inner && `{ ${inner} }`}`, '')} }`,
  );
  const constant = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  const measure = measures.map(({ name, column, of, list, whereText }) => {
    const given = [...(list ? [`of: "${list}"`] : []), ...(whereText ? [`where: ${whereText}`] : [])].join(' ');
    if (of === 'countDistinct') return `${name}: countDistinct(of: ${constant(column)} ${given})`;
    if (of === 'count') return `${name}: count${given && `(${given})`}`;
    return `${name}: ${column}${given && `(${given})`} { value: ${of}${of === 'percentile' ? `(p: ${share})` : ''} }`;
  });
  return `{ count ${[...key, ...measure].join(' ')} }`;
}

/**
 * The groups that rows make, by their keys in JSON.
 *
 * @param level the places of the keys that they have, if the others are null as they are of totals
 */
export function groupRows(
  model: FilterModel,
  type: string,
  rows: readonly Row[],
  { keys, measures, timeZone }: RandomGroup,
  typeOf: TypeOf,
  level?: readonly number[],
): Map<string, Row> {
  const groups = new Map<string, { key: Row; rows: Row[] }>();
  const hasKey = (n: number) => level?.includes(n) ?? true;
  const keyIn = (row?: Row) =>
    Object.fromEntries(
      keys.map((path, n) => [`k${n}`, keyOf(model, type, hasKey(n) ? row : undefined, path, timeZone, typeOf)]),
    );
  // All rows are a group, also where there are none.
  if ((level ?? keys).length === 0) groups.set(JSON.stringify(keyIn()), { key: keyIn(), rows: [] });
  for (const row of rows) {
    const key = keyIn(row);
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
        ...Object.fromEntries(
          measures.map((measure) => {
            const { where } = measure;
            const rows = where ? group.rows.filter((row) => model.matches(type, row, where, typeOf)) : group.rows;
            return [measure.name, measured(measure, rows, model, type, typeOf)];
          }),
        ),
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
  const [, figure] = /^measure\(of: "(.*)"\)$/.exec(name) ?? [];
  if (figure !== undefined) {
    const number = row ? model.figure(type, row, figure, typeOf) : null;
    return { measure: { bucket: number === null ? null : buckets[rest[0] ?? '']?.(number) } };
  }
  const value = row?.[name] ?? null;
  const [part] = rest;
  if (!part) return { [name]: value };
  const bucket = buckets[part];
  if (bucket) return { [name]: { bucket: value === null ? null : bucket(Number(value)) } };
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
  // Those of the company start in April.
  if (part === 'fiscalYear') return time.minus({ months: 3 }).startOf('year').plus({ months: 3 }).toISODate();
  return time.startOf(part as DateTimeUnit).toISODate();
}

function measured(
  { column, of, list }: RandomMeasure,
  rows: readonly Row[],
  model: FilterModel,
  type: string,
  typeOf: TypeOf,
): unknown {
  if (of === 'count') return rows.length;
  const valueOf = (row: Row) => (list ? model.hoursToFirst(type, row, list, typeOf) : row[column]);
  const values = rows.map((row) => valueOf(row) ?? null).filter((value) => value !== null);
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
