// Reads which groups and measures a query selects.
import { collectSubFields } from '@graphql-tools/utils';
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  print,
} from 'graphql';
import type { Context } from '../../context.ts';
import { Prisma } from '../../database/generated/client/client.ts';
import type { GroupKey, Measure, RowValue } from '../../database/read/group-query.ts';
import { badRequest } from '../../errors.ts';
import type { DatePart } from '../../fields/index.ts';
import { ExactNumber } from '../../json.ts';
import { assertReadable } from '../access/hidden-columns.ts';
import type { Measures } from '../definition/measures.ts';
import { apiField, type Where } from '../definition/model.ts';
import { type Filter, filterWhere } from '../filter/compile.ts';
import type { Filterable } from '../filter/filterable.ts';
import { hoursToFirst, listFigure } from '../filter/list-figures.ts';
import { joinRelation, measureKind, measureValue } from '../filter/measures.ts';
import { getOrCreate } from '../get-or-create.ts';
import { readBucket } from './buckets.ts';
import { readDerived, type SelectedDerived } from './derived.ts';
import type { GroupPlan, Named, Planned } from './places.ts';

/** Bounds of what a query can select of groups. */
const groupLimits = {
  /** Keys and measures. */
  values: 50,
  /** Relations from the rows to a key. */
  relations: 3,
} as const;

/** The key that is the period of `periods`. */
export const periodKey = 'period';

/** The key that is what is computed of a list. */
export const listFigureKey = 'measure';

/** What rows are grouped by and measured. */
export interface Measured {
  readonly rows: Filterable;
  readonly measures: Measures;
}

/**
 * Reads the selection of a field that returns groups.
 * @param every what the periods are that it groups rows by, if it does
 * @throws ServiceError BAD_REQUEST, or INSUFFICIENT_SCOPE where a key or measure crosses a relation
 */
export function readPlan(
  measured: Measured,
  every: DatePart | undefined,
  context: Context,
  info: GraphQLResolveInfo,
): GroupPlan {
  const reader = new PlanReader(measured, every, context, info);
  reader.readGroup();
  const { keys, measures, totalOf } = reader;
  const derived = readDerived(reader.derived, reader);
  if (keys.length + measures.length + derived.length > groupLimits.values)
    throw badRequest(`select at most ${groupLimits.values} keys and measures`, 'aggregates');
  return { keys, measures, derived, totalOf };
}

/** A field that is selected, by its name in the response. */
interface Selected {
  readonly name: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly type: GraphQLObjectType;
  readonly nodes: readonly FieldNode[];
  readonly path: readonly string[];
}

class PlanReader {
  readonly keys: Planned<GroupKey>[] = [];
  readonly measures: GroupPlan['measures'][number][] = [];
  readonly derived: SelectedDerived[] = [];
  readonly totalOf: Named[] = [];
  private readonly conditions = new Map<string, Where>();

  constructor(
    private readonly measured: Measured,
    private readonly every: DatePart | undefined,
    private readonly context: Context,
    private readonly info: GraphQLResolveInfo,
  ) {}

  readGroup(): void {
    const { rows, measures } = this.measured;
    const group = getNamedType(this.info.returnType) as GraphQLObjectType;
    for (const selected of this.below(group, this.info.fieldNodes, [])) {
      const { name, path } = selected;
      const measure = measures[name];
      if (name === 'key') this.readKeys(rows, selected, []);
      else if (name === 'totalOf') this.totalOf.push({ path });
      else if (name === 'derived') this.readDerived(selected);
      else if (name === 'count')
        this.measures.push({ path, what: { of: 'count', where: this.whereOf(selected) }, isNumber: true });
      else if (name === 'countDistinct')
        this.measures.push({ path, what: this.countDistinct(selected), isNumber: true });
      else if (name === 'daysInPeriod') this.readMeasures(selected, { kind: 'daysInPeriod' }, true);
      else if (name === 'hoursInStatus') this.readMeasures(selected, this.hoursInStatus(selected), true);
      else if (name === 'hoursBetween') this.readMeasures(selected, this.hoursBetween(selected), true);
      else if (name === 'hoursToFirst') this.readMeasures(selected, this.hoursToFirst(selected), true);
      else if (measure) this.readMeasures(selected, measureValue(rows, name, measure, this.context), true);
      else {
        this.assertReadable(rows, name, path);
        const value = { kind: 'column', of: { joins: [], column: name } } as const;
        this.readMeasures(selected, value, measureKind(rows, name) === 'Number');
      }
    }
  }

  private readKeys(rows: Filterable, { type, nodes, path }: Selected, joins: readonly string[]): void {
    for (const selected of this.below(type, nodes, path)) {
      const { name } = selected;
      const relation = rows.relations[name];
      if (relation) {
        const place = selected.path.join('.');
        if (joins.length === groupLimits.relations)
          throw badRequest(`must cross at most ${groupLimits.relations} relations`, place);
        this.readKeys(relation.target, selected, [...joins, joinRelation(relation, this.context, place)]);
        continue;
      }
      if (name === periodKey && !rows.columns.includes(name)) {
        this.keys.push({ path: selected.path, what: { period: true, part: this.periodAt(selected.path, joins) } });
        continue;
      }
      if (name === listFigureKey && !rows.columns.includes(name)) {
        const figure = String(this.argumentsOf(selected)['of']);
        const place = selected.path.join('.');
        const { of } = listFigure(rows, figure, this.context, `${place}.of`);
        this.readBuckets(selected, { kind: 'figure', joins, of });
        continue;
      }
      const measure = rows.measures[name];
      if (measure) {
        this.readBuckets(selected, measureValue(rows, name, measure, this.context, joins));
        continue;
      }
      this.assertReadable(rows, name, selected.path);
      const value = { joins, column: name };
      if (measureKind(rows, name) === 'Number') this.readBuckets(selected, { kind: 'column', of: value });
      else if (!apiField(rows, name).type.calendar) this.keys.push({ path: selected.path, what: { value } });
      else
        for (const { name: part, path: at } of this.below(selected.type, selected.nodes, selected.path))
          this.keys.push({ path: at, what: { value, part: part as DatePart } });
    }
  }

  private periodAt(path: readonly string[], joins: readonly string[]): DatePart {
    const place = path.join('.');
    if (joins.length > 0) throw badRequest('is a key of the rows of the list alone', place);
    if (!this.every) throw badRequest('requires the argument periods of aggregates', place);
    return this.every;
  }

  /** The ranges of numbers that are keys. */
  private readBuckets({ type, nodes, path }: Selected, number: RowValue): void {
    for (const selected of this.below(type, nodes, path)) {
      const bucket = readBucket(this.argumentsOf(selected), selected.path.join('.'));
      this.keys.push({ path: selected.path, what: { number, bucket } });
    }
  }

  private readDerived({ type, nodes, path }: Selected): void {
    for (const selected of this.below(type, nodes, path))
      this.derived.push({ path: selected.path, name: selected.name, args: this.argumentsOf(selected) });
  }

  private readMeasures(measured: Selected, value: RowValue, isNumber: boolean): void {
    const where = this.whereOf(measured);
    for (const selected of this.below(measured.type, measured.nodes, measured.path)) {
      const of = selected.name as 'sum' | 'avg' | 'min' | 'max' | 'percentile';
      this.measures.push({
        path: selected.path,
        what: of === 'percentile' ? { of, value, where, share: this.shareOf(selected) } : { of, value, where },
        isNumber,
      });
    }
  }

  /** The condition on the rows that are measured. Those of the same text are the same object. */
  private whereOf(selected: Selected): Where | undefined {
    const filter = this.argumentsOf(selected)['where'] as Filter | null | undefined;
    if (!filter) return undefined;
    const given = selected.nodes[0]?.arguments?.find(({ name }) => name.value === 'where');
    const text = given ? print(given) : '';
    return getOrCreate(this.conditions, text, () => filterWhere(this.measured.rows, filter, this.context));
  }

  private countDistinct(selected: Selected): Measure {
    const column = this.argumentsOf(selected)['of'] as string;
    this.assertReadable(this.measured.rows, column, selected.path);
    return { of: 'countDistinct', value: { kind: 'column', of: { joins: [], column } }, where: this.whereOf(selected) };
  }

  private hoursInStatus(selected: Selected): RowValue {
    const status = this.argumentsOf(selected)['of'] as string;
    return { kind: 'hoursInStatus', status, until: this.context.at ?? new Date() };
  }

  private hoursBetween(selected: Selected): RowValue {
    const { from, to, last } = this.argumentsOf(selected) as { from: string; to: string; last?: boolean | null };
    return { kind: 'hoursBetween', from, to, last: last ?? false };
  }

  private hoursToFirst(selected: Selected): RowValue {
    const list = String(this.argumentsOf(selected)['of']);
    return hoursToFirst(this.measured.rows, list, this.context, `${selected.path.join('.')}.of`);
  }

  private shareOf(selected: Selected): string {
    const given = this.argumentsOf(selected)['p'] as number | ExactNumber;
    const share = new Prisma.Decimal(given instanceof ExactNumber && given.isTooLong ? Number(given) : String(given));
    if (share.lt(0) || share.gt(1)) throw badRequest('must be between 0 and 1', `${selected.path.join('.')}.p`);
    return share.toFixed();
  }

  private assertReadable({ policies }: Filterable, column: string, path: readonly string[]): void {
    assertReadable(this.context.caller, policies, column, path.join('.'));
  }

  private argumentsOf({ field, nodes }: Selected) {
    return getArgumentValues(field, nodes[0] as FieldNode, this.info.variableValues);
  }

  /** The fields that are selected below others, but for `__typename`. */
  private below(type: GraphQLObjectType, nodes: readonly FieldNode[], path: readonly string[]): Selected[] {
    const { schema, fragments, variableValues } = this.info;
    const { fields } = collectSubFields(schema, fragments, variableValues, type, [...nodes]);
    return [...fields].flatMap(([key, found]): Selected[] => {
      const name = found[0]?.name.value ?? '';
      const field = type.getFields()[name];
      if (!field) return [];
      return [{ name, field, type: getNamedType(field.type) as GraphQLObjectType, nodes: found, path: [...path, key] }];
    });
  }
}
