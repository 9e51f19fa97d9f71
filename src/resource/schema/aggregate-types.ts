// The GraphQL types of aggregates: of each resource a key and an aggregate; all others are shared.
import type { ArgBuilder, FieldMap, InputFieldMap, InputObjectRef } from '@pothos/core';
import type { ApiField } from '../../database/stored-field.ts';
import type { FieldType } from '../../fields/index.ts';
import { type Group, maxGroups } from '../aggregate/find.ts';
import { hasPeriods } from '../aggregate/periods.ts';
import { shownStatus } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { hasFirsts } from '../filter/list-figures.ts';
import { measureKind } from '../filter/measures.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { SchemaBuilder, SchemaTypes } from './builder.ts';
import { crossesRelation, type GroupRef, KeyTypes, ofGroups, resolveNested, resolveValue } from './key-types.ts';
import type { SchemaKit } from './schema-kit.ts';

type Measure = NonNullable<FieldType['measure']>;
type GroupFields = PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Group>;
type InputFields = PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>;

/** Creates the types of aggregates, each once. */
export class AggregateTypeFactory {
  private readonly keys: KeyTypes;
  private readonly parts = new Map<string, GroupRef>();
  private readonly inputs = new Map<string, InputObjectRef<SchemaTypes, unknown>>();

  constructor(private readonly kit: SchemaKit) {
    this.keys = new KeyTypes(kit);
  }

  /** A group of a resource's rows. */
  group(resource: Resource): GroupRef {
    const { kit } = this;
    const rows = kit.registry.filterableOf(resource);
    const { type, words } = rows;
    const ref = kit.builder.objectRef<Group>(`${type}Aggregate`);
    const { sort } = kit.orderTypes.of(rows);
    const filter = kit.filterTypes.filter(rows);
    ref.implement({
      description: `A group of ${words.many}; all of them if no \`key\` is selected.`,
      extensions: ofGroups,
      fields: (t) => {
        const args = { where: t.arg({ type: filter, description: 'Filter.' }) };
        const fields: FieldMap = {
          key: t.field({
            type: this.keys.of(rows),
            description: 'Keys to group by.',
            resolve: resolveNested,
          }),
          totalOf: t.stringList({
            description: 'Keys it totals.',
            resolve: resolveValue,
          }),
          derived: t.field({
            type: this.derived(),
            description: 'From other measures.',
            resolve: resolveNested,
          }),
          count: t.int({ description: 'Number of rows.', args, resolve: resolveValue }),
          countDistinct: t.int({
            description: 'Number of distinct values.',
            extensions: { databaseCost: 'countDistinct' },
            args: { of: t.arg({ type: sort, required: true, description: 'The field.' }), ...args },
            resolve: resolveValue,
          }),
        };
        const add = (name: string, kind: Measure, description: string, isRelated = false) => {
          fields[name] = t.field({
            type: this.values(kind),
            description,
            extensions: { relatedKey: isRelated },
            args,
            resolve: resolveNested,
          });
        };
        for (const column of rows.columns) {
          const kind = measureKind(rows, column);
          if (kind) add(column, kind, `Of \`${column}\`.`);
        }
        for (const [name, measure] of Object.entries(resource.measures))
          add(name, 'Number', measure.description, crossesRelation(measure));
        if (Object.keys(resource.ranges).length > 0)
          add('daysInPeriod', 'Number', 'Days of the row in the period; null without `periods`.');
        if (hasFirsts(rows))
          fields['hoursToFirst'] = t.field({
            type: this.values('Number'),
            description: 'Hours until the first row of a list.',
            extensions: { databaseCost: 'firstOfList' },
            args: { of: t.arg.string({ required: true, description: 'The list: `comments`.' }), ...args },
            resolve: resolveNested,
          });
        const status = shownStatus(resource);
        if (status) Object.assign(fields, this.statusHours(t, status, args));
        return fields;
      },
    });
    return ref;
  }

  /** What is measured of the times at which rows had their statuses. */
  private statusHours(t: GroupFields, field: ApiField, args: InputFieldMap): FieldMap {
    const type = this.values('Number');
    const extensions = { readsStatusPeriods: true };
    const status = (description: string) => t.arg({ type: this.kit.columnType(field), required: true, description });
    return {
      hoursInStatus: t.field({
        type,
        description: 'Hours that each row has had it.',
        extensions,
        args: { of: status('The status.'), ...args },
        resolve: resolveNested,
      }),
      hoursBetween: t.field({
        type,
        description: 'Hours from one status to another.',
        extensions,
        args: {
          from: status('The status at the start.'),
          to: status('The status at the end.'),
          last: t.arg.boolean({ defaultValue: false, description: 'Until the last instead.' }),
          ...args,
        },
        resolve: resolveNested,
      }),
    };
  }

  /** The arguments of the field that aggregates a list. */
  arguments(arg: ArgBuilder<SchemaTypes>, resource: Resource): InputFieldMap {
    return {
      ...(hasPeriods(this.kit.registry.filterableOf(resource)) && {
        periods: arg({ type: this.periods(), description: 'Periods of rows.' }),
      }),
      orderBy: arg({
        type: [this.order()],
        description: 'Sort keys; ties by `key`.',
      }),
      having: arg({ type: [this.condition()], description: 'Conditions on measures.' }),
      fill: arg({ type: this.range(), description: 'Days to add groups without rows for.' }),
      timeZone: arg.string({
        description: "The company's by default.",
      }),
      first: arg.int({ defaultValue: maxGroups, description: `How many groups, 1 to ${maxGroups}.` }),
      subtotals: arg({
        type: arg.listRef(arg.listRef('String')),
        description: 'Totals by these keys; `[]` for all rows.',
      }),
      per: arg.stringList({ description: 'Keys within which `first` counts.' }),
    };
  }

  /** What is computed of values. */
  private values(kind: Measure): GroupRef {
    return getOrCreate(this.parts, `${kind}Aggregate`, (name) =>
      this.kit.builder.objectRef<Group>(name).implement({
        description:
          'Computed from the values of the rows of a group. Unset values are ignored; null if all are unset.',
        extensions: ofGroups,
        fields: (t) => (kind === 'Number' ? this.numberFields(t) : extremes(t, kind)),
      }),
    );
  }

  private numberFields(t: GroupFields): FieldMap {
    return {
      sum: t.float({ nullable: true, description: 'The exact sum.', resolve: resolveValue }),
      avg: t.float({ nullable: true, description: 'The average.', resolve: resolveValue }),
      ...extremes(t, 'Float'),
      percentile: t.float({
        nullable: true,
        description: 'The interpolated value that the share `p` of the values does not exceed; 0.5 for the median.',
        extensions: { databaseCost: 'percentile' },
        args: { p: t.arg.float({ required: true, description: 'The share, 0 to 1.' }) },
        resolve: resolveValue,
      }),
    };
  }

  /** What is computed of measures. */
  private derived(): GroupRef {
    return getOrCreate(this.parts, 'Derived', () =>
      this.kit.builder.objectRef<Group>('DerivedValues').implement({
        description: 'Computed of measures of the query, which arguments name by their paths: `count`, `amount.sum`.',
        extensions: ofGroups,
        fields: (t) => {
          const number = (description: string, args: InputFieldMap) =>
            t.float({ nullable: true, description, args, resolve: resolveValue });
          const of = t.arg.string({ required: true, description: 'The measure.' });
          return {
            ratio: number('The measure divided by another; null where that is 0.', {
              of,
              to: t.arg.string({ required: true, description: 'The other measure.' }),
            }),
            difference: number('The measure less another.', {
              of,
              minus: t.arg.string({ required: true, description: 'The other measure.' }),
            }),
            share: number('The share in the sum over all groups.', {
              of,
              within: t.arg.stringList({ description: 'Keys: only groups with the same values of these.' }),
            }),
            running: number('The sum over the periods up to this one. Requires one key that is a period.', { of }),
            change: number('The difference from an earlier period; null without a group of that one.', {
              of,
              periods: t.arg.int({ defaultValue: 1, description: 'How many periods earlier.' }),
            }),
          };
        },
      }),
    );
  }

  private order() {
    return this.input('GroupOrder', 'A sort key of groups. Groups without a value come last.', (t) => ({
      field: t.string({
        required: true,
        description: 'A key or measure by its path in the response: `count`, `amount.sum`, `key.createdAt.month`.',
      }),
      direction: t.field({ type: this.kit.sortOrder, description: 'Ascending by default.' }),
    }));
  }

  private condition() {
    return this.input('GroupCondition', 'Conditions on a measure.', (t) => ({
      field: t.string({ required: true, description: 'A measure by its path in the response, such as `amount.sum`.' }),
      ...Object.fromEntries(
        Object.entries({
          eq: 'Equal to this number.',
          ne: 'Not equal to this number.',
          lt: 'Less than this number.',
          lte: 'At most this number.',
          gt: 'Greater than this number.',
          gte: 'At least this number.',
        }).map(([name, description]) => [name, t.float({ description })]),
      ),
    }));
  }

  private range() {
    return this.input(
      'GroupRange',
      'The days to return groups for, with or without rows. Required unless the only date parts are weekday and hour.',
      (t) => ({
        from: t.field({ type: 'RelativeDate', description: 'The first day.' }),
        to: t.field({ type: 'RelativeDate', description: 'The day after the last.' }),
      }),
    );
  }

  /** The periods that rows belong to. */
  private periods() {
    const { builder } = this.kit;
    return this.input(
      'GroupPeriods',
      'Periods, of which each has a group for `key { period }`: rows are in those at whose end they existed, with the status that they had then, or in those that their range touches.',
      (t) => ({
        from: t.field({ type: 'RelativeDate', required: true, description: 'A day of the first period.' }),
        to: t.field({ type: 'RelativeDate', required: true, description: 'The day after one of the last period.' }),
        every: t.field({ type: periodEnum(builder), required: true, description: 'How long each is.' }),
        by: t.string({
          description: 'What rows belong to them by: `status`, by default, or the name of a range of theirs.',
        }),
        deleted: t.boolean({
          description:
            'Whether rows that were deleted later are counted, of which only the status is known. True by default.',
        }),
        share: t.field({
          type: shareEnum(builder),
          description: 'Which share of its numbers a row has in each period that its range touches; all by default.',
        }),
      }),
    );
  }

  private input(name: string, description: string, fields: (t: InputFields) => InputFieldMap) {
    return getOrCreate(this.inputs, name, () => this.kit.builder.inputType(name, { description, fields }));
  }
}

const periodEnum = (builder: SchemaBuilder) =>
  builder.enumType('Period', {
    description: 'A period of days.',
    values: {
      DAY: { value: 'day', description: 'A day.' },
      WEEK: { value: 'week', description: 'A week from Monday.' },
      MONTH: { value: 'month', description: 'A month.' },
      QUARTER: { value: 'quarter', description: 'A quarter.' },
      YEAR: { value: 'year', description: 'A year.' },
      FISCAL_YEAR: { value: 'fiscalYear', description: 'A fiscal year of the company.' },
    },
  });

const shareEnum = (builder: SchemaBuilder) =>
  builder.enumType('PeriodShare', {
    description: 'A share of the numbers of a row.',
    values: {
      PERIOD: { value: 'period', description: "The share of the period's days that the row has: of a monthly rent." },
      RANGE: { value: 'range', description: "The share of the row's days that are in the period: of a total price." },
    },
  });

const extremes = (t: GroupFields, type: 'Float' | 'Date' | 'DateTime'): FieldMap => ({
  min: t.field({ type, nullable: true, description: 'The smallest or earliest.', resolve: resolveValue }),
  max: t.field({ type, nullable: true, description: 'The largest or latest.', resolve: resolveValue }),
});
