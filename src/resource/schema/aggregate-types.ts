// The GraphQL types of aggregates: of each resource a key and an aggregate; all others are shared.
import type { ArgBuilder, FieldMap, InputFieldMap, InputObjectRef, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import type { ApiField } from '../../database/stored-field.ts';
import type { Calendar, DatePart, FieldType } from '../../fields/index.ts';
import { spaced } from '../../names.ts';
import { type Group, maxGroups } from '../aggregate/find.ts';
import { columnsOf, measureKind } from '../aggregate/measures.ts';
import { apiField, shownStatus } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import type { Filterable } from '../filter/filterable.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { SchemaTypes } from './builder.ts';
import type { SchemaKit } from './schema-kit.ts';

type GroupRef = ObjectRef<SchemaTypes, Group>;
type Measure = NonNullable<FieldType['measure']>;
type GroupFields = PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Group>;
type InputFields = PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>;

const partTexts: Readonly<Record<DatePart, string>> = {
  day: 'The day.',
  week: 'The Monday of the week.',
  month: 'The first day of the month.',
  quarter: 'The first day of the quarter.',
  year: 'The first day of the year.',
  weekday: 'The day of the week: 1 is Monday.',
  hour: 'The hour of the day, 0 to 23.',
};

/** The parts of which there are few. */
const partCounts: Readonly<Partial<Record<DatePart, number>>> = { weekday: 7, hour: 24 };

/** Resolves a field to the value that the group has under the field's name in the response; it has the field's type. */
const resolveValue = (group: Group, _args: object, _context: Context, { path }: GraphQLResolveInfo) =>
  (group[path.key] ?? null) as never;

/** Resolves a field to the values below it; none if none is selected. */
const resolveNested = (group: Group, _args: object, _context: Context, { path }: GraphQLResolveInfo) =>
  (group[path.key] ?? {}) as never;

/** Creates the types of aggregates, each once. */
export class AggregateTypeFactory {
  private readonly keys = new Map<string, GroupRef>();
  private readonly parts = new Map<string, GroupRef>();
  private readonly inputs = new Map<string, InputObjectRef<SchemaTypes, unknown>>();

  constructor(private readonly kit: SchemaKit) {}

  /** A group of a resource's rows. */
  group(resource: Resource): GroupRef {
    const { kit } = this;
    const rows = kit.registry.filterableOf(resource);
    const { type, words } = rows;
    const ref = kit.builder.objectRef<Group>(`${type}Aggregate`);
    const { sort } = kit.orderTypes.of(rows);
    ref.implement({
      description: `A group of ${words.many}; all of them if no \`key\` is selected.`,
      fields: (t) => {
        const fields: FieldMap = {
          key: t.field({
            type: this.key(rows),
            description: 'The keys to group by.',
            resolve: resolveNested,
          }),
          count: t.int({ description: 'Number of rows.', resolve: resolveValue }),
          countDistinct: t.int({
            description: 'Number of distinct values.',
            extensions: { databaseCost: 'countDistinct' },
            args: { of: t.arg({ type: sort, required: true, description: 'The field.' }) },
            resolve: resolveValue,
          }),
        };
        const add = (name: string, kind: Measure, description: string, isRelated = false) => {
          fields[name] = t.field({
            type: this.values(kind),
            description,
            extensions: { relatedKey: isRelated },
            resolve: resolveNested,
          });
        };
        for (const column of rows.columns) {
          const kind = measureKind(rows, column);
          if (kind) add(column, kind, `Measures of \`${column}\`.`);
        }
        for (const [name, measure] of Object.entries(resource.measures))
          add(
            name,
            'Number',
            measure.description,
            columnsOf(measure).some((column) => column.includes('.')),
          );
        const status = shownStatus(resource);
        if (status) Object.assign(fields, this.statusHours(t, status));
        return fields;
      },
    });
    return ref;
  }

  /** What is measured of the times at which rows had their statuses. */
  private statusHours(t: GroupFields, field: ApiField): FieldMap {
    const type = this.values('Number');
    const extensions = { readsStatusPeriods: true };
    const status = (description: string) => t.arg({ type: this.kit.columnType(field), required: true, description });
    return {
      hoursInStatus: t.field({
        type,
        description: 'Measures of the hours that each row has had this status.',
        extensions,
        args: { of: status('The status.') },
        resolve: resolveNested,
      }),
      hoursBetween: t.field({
        type,
        description:
          'Measures of the hours from the first time that each row got one status to the first time after it that the row got another.',
        extensions,
        args: {
          from: status('The status at the start.'),
          to: status('The status at the end.'),
          last: t.arg.boolean({ defaultValue: false, description: 'Measure to the last time instead.' }),
        },
        resolve: resolveNested,
      }),
    };
  }

  /** The arguments of the field that aggregates a list. */
  arguments(arg: ArgBuilder<SchemaTypes>): InputFieldMap {
    return {
      orderBy: arg({
        type: [this.order()],
        description: 'Sort keys of the groups. Ties are sorted by the fields of `key`.',
      }),
      having: arg({ type: [this.condition()], description: 'Conditions on measures, all of which must hold.' }),
      fill: arg({ type: this.range(), description: 'Range of days for which groups without rows are added.' }),
      timeZone: arg.string({
        description: "The time zone, such as Europe/Berlin; the company's by default.",
      }),
      first: arg.int({ defaultValue: maxGroups, description: `Maximum number of groups, 1 to ${maxGroups}.` }),
    };
  }

  /** What rows can be grouped by. Rows that refer to them can be grouped by it too. */
  private key(rows: Filterable): GroupRef {
    const { type, words, columns } = rows;
    return getOrCreate(this.keys, type, () => {
      const ref = this.kit.builder.objectRef<Group>(`${type}Key`);
      ref.implement({
        description: `Fields to group ${words.many} by; null if unset.`,
        fields: (t) => {
          const fields: FieldMap = {};
          for (const column of columns) {
            const field = apiField(rows, column);
            const { name, calendar, isKey, comparison } = field.type;
            const description = `Group by \`${column}\`.`;
            if (calendar)
              fields[column] = t.field({ type: this.dateParts(name, calendar), description, resolve: resolveNested });
            else if (isKey(field))
              fields[column] = t.field({
                type: this.kit.columnType(field),
                nullable: true,
                description,
                extensions: { isRequired: field.required, valueCount: comparison.members?.length },
                resolve: resolveValue,
              });
          }
          for (const [name, { isList, target }] of Object.entries(rows.relations)) {
            if (isList) continue;
            const description = `Group by fields of the ${spaced(name)}.`;
            fields[name] = t.field({
              type: this.key(target),
              description,
              extensions: { relatedKey: true },
              resolve: resolveNested,
            });
          }
          return fields;
        },
      });
      return ref;
    });
  }

  /** The parts of a date or time. */
  private dateParts(type: string, { word, parts, isCostly }: Calendar): GroupRef {
    return getOrCreate(this.parts, `${type}Key`, (name) =>
      this.kit.builder.objectRef<Group>(name).implement({
        description: `The part of a ${word} that rows are grouped by.`,
        fields: (t) =>
          Object.fromEntries(
            parts.map((part) => {
              const type = part === 'weekday' || part === 'hour' ? 'Int' : 'Date';
              const extensions = {
                ...(isCostly && ({ databaseCost: 'timePart' } as const)),
                valueCount: partCounts[part],
              };
              const description = partTexts[part];
              return [part, t.field({ type, nullable: true, description, extensions, resolve: resolveValue })];
            }),
          ),
      }),
    );
  }

  /** What is computed of values. */
  private values(kind: Measure): GroupRef {
    return getOrCreate(this.parts, `${kind}Aggregate`, (name) =>
      this.kit.builder.objectRef<Group>(name).implement({
        description:
          'Computed from the values of the rows of a group. Unset values are ignored; null if all are unset.',
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

  private order() {
    return this.input('GroupOrder', 'A sort key of groups. Groups without a value come last.', (t) => ({
      field: t.string({
        required: true,
        description: 'A key or measure by its path in the response: `count`, `amount.sum`, `key.createdAt.month`.',
      }),
      direction: t.field({ type: this.kit.sortOrder, description: 'The direction; ascending by default.' }),
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

  private input(name: string, description: string, fields: (t: InputFields) => InputFieldMap) {
    return getOrCreate(this.inputs, name, () => this.kit.builder.inputType(name, { description, fields }));
  }
}

const extremes = (t: GroupFields, type: 'Float' | 'Date' | 'DateTime'): FieldMap => ({
  min: t.field({ type, nullable: true, description: 'The smallest or earliest.', resolve: resolveValue }),
  max: t.field({ type, nullable: true, description: 'The largest or latest.', resolve: resolveValue }),
});
