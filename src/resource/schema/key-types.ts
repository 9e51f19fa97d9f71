// The GraphQL types of the keys of groups: of each type of rows one; those of dates and numbers are shared.
import type { FieldMap, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import type { Calendar, DatePart } from '../../fields/index.ts';
import { spaced } from '../../names.ts';
import type { Group } from '../aggregate/find.ts';
import { hasPeriods } from '../aggregate/periods.ts';
import { listFigureKey, periodKey } from '../aggregate/plan.ts';
import { columnsOf, type MeasureOptions } from '../definition/measures.ts';
import { apiField } from '../definition/model.ts';
import type { Filterable } from '../filter/filterable.ts';
import { hasLists } from '../filter/list-figures.ts';
import { measureKind } from '../filter/measures.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { SchemaTypes } from './builder.ts';
import type { SchemaKit } from './schema-kit.ts';

/** A type of groups, or of a part of them. */
export type GroupRef = ObjectRef<SchemaTypes, Group>;

const partTexts: Readonly<Record<DatePart, string>> = {
  day: 'The day.',
  week: 'The Monday of the week.',
  month: 'The first day of the month.',
  quarter: 'The first day of the quarter.',
  year: 'The first day of the year.',
  fiscalYear: "The first day of the company's fiscal year.",
  weekday: 'The day of the week: 1 is Monday.',
  hour: 'The hour of the day, 0 to 23.',
};

/** The parts of which there are few. */
const partCounts: Readonly<Partial<Record<DatePart, number>>> = { weekday: 7, hour: 24 };

/** Resolves a field to the value that the group has under the field's name in the response; it has the field's type. */
export const resolveValue = (group: Group, _args: object, _context: Context, { path }: GraphQLResolveInfo) =>
  (group[path.key] ?? null) as never;

/** Resolves a field to the values below it; none if none is selected. */
export const resolveNested = (group: Group, _args: object, _context: Context, { path }: GraphQLResolveInfo) =>
  (group[path.key] ?? {}) as never;

/** Whether a measure is computed from columns of related rows. */
export const crossesRelation = (measure: MeasureOptions) => columnsOf(measure).some((column) => column.includes('.'));

/** The extensions of all of these types. */
export const ofGroups = { isOfGroups: true };

/** Creates the types of keys, each once. */
export class KeyTypes {
  private readonly keys = new Map<string, GroupRef>();
  private readonly parts = new Map<string, GroupRef>();

  constructor(private readonly kit: SchemaKit) {}

  /** What rows can be grouped by. Rows that refer to them can be grouped by it too. */
  of(rows: Filterable): GroupRef {
    const { type, words, columns } = rows;
    return getOrCreate(this.keys, type, () => {
      const ref = this.kit.builder.objectRef<Group>(`${type}Key`);
      ref.implement({
        description: `Fields to group ${words.many} by; null if unset.`,
        extensions: ofGroups,
        fields: (t) => {
          const fields: FieldMap = {};
          for (const column of columns) {
            const field = apiField(rows, column);
            const { name, calendar, isKey, comparison } = field.type;
            const description = `By \`${column}\`.`;
            if (measureKind(rows, column) === 'Number')
              fields[column] = t.field({ type: this.buckets(), description, resolve: resolveNested });
            else if (calendar)
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
          if (hasPeriods(rows))
            fields[periodKey] = t.field({
              type: 'Date',
              nullable: true,
              description: 'First day of the period.',
              resolve: resolveValue,
            });
          for (const [name, measure] of Object.entries(rows.measures))
            fields[name] = t.field({
              type: this.buckets(),
              description: `By \`${name}\`.`,
              extensions: { relatedKey: crossesRelation(measure) },
              resolve: resolveNested,
            });
          if (hasLists(rows))
            fields[listFigureKey] = t.field({
              type: this.buckets(),
              description: 'By what is computed of a list.',
              extensions: { databaseCost: 'measuredList' },
              args: { of: t.arg.string({ required: true, description: '`comments.count`, `invoices.amount.sum`.' }) },
              resolve: resolveNested,
            });
          for (const [name, { isList, target }] of Object.entries(rows.relations)) {
            if (isList) continue;
            const description = `Fields of the ${spaced(name)}.`;
            fields[name] = t.field({
              type: this.of(target),
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

  /** The ranges of numbers that rows are grouped by. */
  private buckets(): GroupRef {
    return getOrCreate(this.parts, 'NumberKey', (name) =>
      this.kit.builder.objectRef<Group>(name).implement({
        description: 'The range of a number that rows are grouped by.',
        extensions: ofGroups,
        fields: (t) => ({
          bucket: t.float({
            nullable: true,
            description: 'The lower bound of the range; null below all of them.',
            args: {
              bounds: t.arg.floatList({ description: 'The lower bounds, ascending: `[0, 31, 61]`.' }),
              size: t.arg.float({ description: 'The size of all ranges, in place of bounds.' }),
            },
            resolve: resolveValue,
          }),
        }),
      }),
    );
  }

  /** The parts of a date or time. */
  private dateParts(type: string, { word, parts, isCostly }: Calendar): GroupRef {
    return getOrCreate(this.parts, `${type}Key`, (name) =>
      this.kit.builder.objectRef<Group>(name).implement({
        description: `The part of a ${word} that rows are grouped by.`,
        extensions: ofGroups,
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
}
