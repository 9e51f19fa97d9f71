// Filters and orders over rows in memory: what GraphQL's lists must answer, computed without SQL and without the kit.
import facts from '../../src/database/generated/facts.ts';
import type { Measures } from '../../src/resource/index.ts';
import type { Row } from './client.ts';
import { measuresOf } from './resources.ts';

interface Model {
  readonly columns: Readonly<Record<string, { readonly type: string; readonly enum: boolean }>>;
  readonly joins: Readonly<
    Record<
      string,
      { readonly model: string; readonly list: boolean; readonly on: readonly (readonly [string, string])[] }
    >
  >;
}

const models: Readonly<Record<string, Model>> = facts.models;
const enums: Readonly<Record<string, { readonly mappedValues: Readonly<Record<string, string>> }>> = facts.enums;

/** A relation that GraphQL shows under a name of its own: its steps through Prisma's relations. */
const named: Readonly<Record<string, readonly string[]>> = {
  'ServiceRequest.watchers': ['watchers', 'user'],
  'MoveRequest.watchers': ['watchers', 'user'],
  'User.watchedServiceRequests': ['watching', 'serviceRequest'],
  'User.watchedMoveRequests': ['watching', 'moveRequest'],
  'InventoryItem.requisitions': ['requisitionLines', 'requisition'],
  'InventoryItem.purchaseOrders': ['purchaseOrderLines', 'purchaseOrder'],
  'InventoryItem.receivingRecords': ['receivingLines', 'receivingRecord'],
  ...Object.fromEntries(
    ['ServiceRequest', 'MoveRequest'].flatMap((kind) => [
      [`User.${kind.charAt(0).toLowerCase()}${kind.slice(1)}Comments`, ['comments']],
      [`User.${kind.charAt(0).toLowerCase()}${kind.slice(1)}TimeLogs`, ['timeLogs']],
      [`User.${kind.charAt(0).toLowerCase()}${kind.slice(1)}ActivityEntries`, ['activityEntries']],
    ]),
  ),
};

/** What lists show of all rows that are stored. */
export class FilterModel {
  /**
   * @param stored the rows of each model, of all companies
   * @param me the caller, whose private notes are seen by nobody else
   */
  constructor(
    private readonly stored: Readonly<Record<string, readonly Row[]>>,
    readonly me: { readonly companyId: string; readonly userId: string },
  ) {}

  /** The rows of a type that the caller can read. @param type the GraphQL type, whose model may have another name */
  rows(type: string): Row[] {
    const model = modelNamed(type);
    return (this.stored[model] ?? []).filter(
      (row) => ('companyId' in row ? row['companyId'] : row['id']) === this.me.companyId && this.sees(type, row),
    );
  }

  private sees(type: string, row: Row): boolean {
    if (type === 'Note') return row['userId'] === this.me.userId || row['isShared'] === true;
    const [kind] = /^(ServiceRequest|MoveRequest)(?=Comment|TimeLog|ActivityEntry)/.exec(type) ?? [];
    return !kind || row[`${kind.charAt(0).toLowerCase()}${kind.slice(1)}Id`] !== null;
  }

  /** The rows that one row is related to. @param target the GraphQL type of those rows */
  related(type: string, row: Row, relation: string, target: string): Row[] {
    const steps = stepsOf(type, relation);
    let [model, found] = [modelNamed(type), [row]];
    for (const step of steps) {
      const join = models[model]?.joins[step];
      if (!join) throw new Error(`${model} has no relation ${step}`);
      const from = found;
      found = (this.stored[join.model] ?? []).filter((other) =>
        from.some((one) => join.on.every(([mine, theirs]) => one[mine] !== null && one[mine] === other[theirs])),
      );
      model = join.model;
    }
    return found.filter((other) => this.sees(target, other));
  }

  /** Whether a row matches a filter. @param typeOf the type that a relation of a type leads to, and whether to many */
  matches(type: string, row: Row, filter: Row, typeOf: TypeOf): boolean {
    return Object.entries(filter).every(([name, value]) => {
      const inner = value as Row;
      const to = typeOf(type, name);
      if (saysNothing({ [name]: value })) return true;
      if (name === 'and') return (value as Row[]).every((each) => this.matches(type, row, each, typeOf));
      if (name === 'or') return (value as Row[]).some((each) => this.matches(type, row, each, typeOf));
      if (name === 'not') return !this.matches(type, row, inner, typeOf);
      if (!to)
        return Object.entries(inner).every(([operator, operand]) => this.holds(type, row, name, operator, operand));
      const related = this.related(type, row, name, to.type);
      const fits = (filter: unknown) => (other: Row) => this.matches(to.type, other, filter as Row, typeOf);
      if (!to.list) return related.some(fits(inner));
      return Object.entries(inner).every(([quantifier, filter]) => {
        if (quantifier === 'measure') return this.measures(to.type, related, filter as Row, typeOf);
        if (quantifier === 'some') return related.some(fits(filter));
        return quantifier === 'none' ? !related.some(fits(filter)) : related.every(fits(filter));
      });
    });
  }

  /** Whether what is computed of rows meets conditions. */
  private measures(type: string, rows: readonly Row[], { where, ...conditions }: Row, typeOf: TypeOf): boolean {
    const measured = where === undefined ? rows : rows.filter((row) => this.matches(type, row, where as Row, typeOf));
    return Object.entries(conditions).every(([name, computed]) => {
      const isAll = (value: number | null, operators: Row) =>
        Object.entries(operators).every(([operator, operand]) => applies('', value, operator, operand, compareNumbers));
      if (name === 'count') return isAll(measured.length, computed as Row);
      const values = measured.flatMap((row) => (row[name] == null ? [] : [Number(row[name])]));
      return Object.entries(computed as Row).every(([of, operators]) => isAll(computeOf(of, values), operators as Row));
    });
  }

  /** Whether a column, or what is computed of a row, meets a condition. */
  private holds(type: string, row: Row, name: string, operator: string, operand: unknown): boolean {
    const measure = measuresOf(type)[name];
    if (!measure && operator !== 'compare') return holds(type, row, name, operator, operand);
    const value = measure ? this.measure(type, row, measure) : numberOf(row[name]);
    if (operator !== 'compare') return applies('', value, operator, operand, compareNumbers);
    const { is, field, times = 1 } = operand as { is: string; field: string; times?: number };
    const other = numberOf(row[field]);
    if (is === 'NE') return value === null || other === null || compareNumbers(value, other * times) !== 0;
    return other !== null && applies('', value, is.toLowerCase(), other * times, compareNumbers);
  }

  /** What a declared measure is of a row. */
  private measure(type: string, row: Row, measure: Measures[string]): number | null {
    const valueAt = (path: string): number | null => {
      if (path === 'now') return Date.now();
      const [relation, column] = path.split('.') as [string, string | undefined];
      if (column === undefined) return numberOf(row[relation]);
      const [related] = this.related(type, row, relation, '');
      return numberOf(related?.[column]);
    };
    const [paths] = Object.values(measure).filter((value) => typeof value !== 'string');
    const [one = null, other = null] = (paths ?? []).map(valueAt);
    if (one === null || other === null) return null;
    if ('product' in measure) return one * other;
    if ('difference' in measure) return one - other;
    return (other - one) / ('hours' in measure ? 3_600_000 : 86_400_000);
  }

  /** What is computed of a list of a row: `comments.count`, `invoices.amount.sum`. */
  figure(type: string, row: Row, figure: string, typeOf: TypeOf): number | null {
    const [list = '', column = '', of = ''] = figure.split('.');
    const rows = this.related(type, row, list, typeOf(type, list)?.type ?? '');
    if (column === 'count') return rows.length;
    return computeOf(
      of,
      rows.flatMap((each) => (each[column] == null ? [] : [Number(each[column])])),
    );
  }

  /** The hours from the creation of a row to that of the first row of a list. */
  hoursToFirst(type: string, row: Row, list: string, typeOf: TypeOf): number | null {
    const rows = this.related(type, row, list, typeOf(type, list)?.type ?? '');
    const first = computeOf(
      'min',
      rows.map((each) => Number(each['createdAt'])),
    );
    return first === null ? null : (first - Number(row['createdAt'])) / 3_600_000;
  }

  /** Compares rows by the keys of an order, of which the last must be unique. */
  compare(type: string, one: Row, other: Row, orderBy: readonly Row[], typeOf: TypeOf): number {
    for (const key of orderBy) {
      const [a, b] = [one, other].map((row) => this.keyOf(type, row, key, typeOf)) as [Key, Key];
      if (a.value === null || b.value === null) {
        if (a.value !== b.value) return a.value === null ? 1 : -1;
        continue;
      }
      const difference =
        a.name === 'measure' ? compareNumbers(a.value, b.value) : compareValues(a.type, a.name, a.value, b.value);
      if (difference !== 0) return a.descends ? -difference : difference;
    }
    return 0;
  }

  private keyOf(type: string, row: Row | undefined, { direction, ...key }: Row, typeOf: TypeOf): Key {
    const descends = direction === 'DESC';
    const [[name, inner] = ['', '']] = Object.entries(key);
    if (name === 'field') {
      const column = camelCase(inner as string);
      return { type, name: column, value: row?.[column] ?? null, descends };
    }
    if (name === 'measure')
      return { type, name, value: row ? this.figure(type, row, inner as string, typeOf) : null, descends };
    const target = typeOf(type, name)?.type ?? '';
    const [related] = row ? this.related(type, row, name, target) : [];
    return this.keyOf(target, related, { direction, ...(inner as Row) }, typeOf);
  }
}

/** Whether a filter has no condition: it is left out, also of a negation. */
export function saysNothing(filter: unknown): boolean {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return false;
  return Object.entries(filter).every(([name, value]) => {
    if (name === 'or') return (value as unknown[]).some(saysNothing);
    if (name === 'and') return (value as unknown[]).every(saysNothing);
    if (name === 'measure') {
      const { where: _, ...conditions } = value as Row;
      return saysNothing(conditions);
    }
    // These ask whether there are rows.
    return name !== 'some' && name !== 'none' && saysNothing(value);
  });
}

interface Key {
  readonly type: string;
  readonly name: string;
  readonly value: unknown;
  readonly descends: boolean;
}

/** The type that a relation leads to; undefined for columns. */
export type TypeOf = (type: string, name: string) => { readonly type: string; readonly list: boolean } | undefined;

/** The steps through Prisma's relations that a relation of GraphQL takes. */
export const stepsOf = (type: string, relation: string): readonly string[] =>
  named[`${type}.${relation}`] ?? [relation];

/** The model of a GraphQL type. */
export const modelNamed = (type: string): string =>
  type in models ? type : type.replace(/^(ServiceRequest|MoveRequest)/, '');

/** `CREATED_AT` → `createdAt`. */
export const camelCase = (constant: string) =>
  constant.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function holds(type: string, row: Row, name: string, operator: string, operand: unknown): boolean {
  if (name === 'lowStock') {
    const [quantity, point] = [row['quantity'], row['reorderPoint']] as [number, number | null];
    return applies('boolean', point !== null && quantity < point, operator, operand, () => 0);
  }
  const key = name === 'trackingNumber' ? 'trackingKey' : name;
  const normalized = key === name ? operand : mapped(operand, (text) => text.replace(/[\s-]/g, '').toUpperCase());
  return applies(type, row[key] ?? null, operator, normalized, (one, other) => compareValues(type, key, one, other));
}

const mapped = (operand: unknown, map: (text: string) => string): unknown =>
  Array.isArray(operand)
    ? operand.map((each) => mapped(each, map))
    : typeof operand === 'string'
      ? map(operand)
      : operand;

function applies(
  type: string,
  value: unknown,
  operator: string,
  operand: unknown,
  compare: (one: unknown, other: unknown) => number,
): boolean {
  const equals = (other: unknown) =>
    value !== null && (type === 'boolean' ? value === other : compare(value, other) === 0);
  const text = () => String(value).toLowerCase();
  switch (operator) {
    case 'isNull':
      return (value === null) === operand;
    case 'eq':
      return equals(operand);
    case 'ne':
      return !equals(operand);
    case 'in':
      return (operand as unknown[]).some(equals);
    case 'notIn':
      return !(operand as unknown[]).some(equals);
    case 'contains':
      return value !== null && text().includes(String(operand).toLowerCase());
    case 'startsWith':
      return value !== null && text().startsWith(String(operand).toLowerCase());
    case 'lt':
      return value !== null && compare(value, operand) < 0;
    case 'lte':
      return value !== null && compare(value, operand) <= 0;
    case 'gt':
      return value !== null && compare(value, operand) > 0;
    case 'gte':
      return value !== null && compare(value, operand) >= 0;
    default:
      throw new Error(`unknown operator ${operator}`);
  }
}

const compareNumbers = (one: unknown, other: unknown): number => Number(one) - Number(other);

/** A number, or a time in milliseconds. */
const numberOf = (value: unknown): number | null => (value == null ? null : Number(value));

function computeOf(of: string, values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sum = values.reduce((all, each) => all + each, 0);
  if (of === 'sum') return sum;
  if (of === 'avg') return sum / values.length;
  return of === 'min' ? Math.min(...values) : Math.max(...values);
}

const collator = new Intl.Collator('und');

/** Compares values as their column orders them: enums by declaration, texts by Unicode's root collation. */
function compareValues(type: string, name: string, one: unknown, other: unknown): number {
  const column = models[modelNamed(type)]?.columns[name];
  if (!column) throw new Error(`${type} has no column ${name}`);
  const rank = (value: unknown): number | string => {
    if (column.enum) return Object.keys(enums[column.type]?.mappedValues ?? {}).indexOf(value as string);
    if (/^Date/.test(column.type)) return new Date(value as string).getTime();
    if (column.type === 'String' || column.type === 'Uuid') return String(value);
    return Number(value);
  };
  const [a, b] = [rank(one), rank(other)];
  if (typeof a === 'string')
    return collator.compare(a, String(b)) || Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return a - (b as number);
}
