// The GraphQL types of filters.
import type { EnumRef, InputFieldMap, InputObjectRef, InputRef } from '@pothos/core';
import { listWords, plural, words } from '../../names.ts';
import type { SchemaTypes } from '../builder.ts';
import { getOrCreate } from '../get-or-create.ts';
import { columnFacts } from '../model.ts';
import type { ColumnType, SchemaKit } from '../resource.ts';
import type { Filterable } from './filterable.ts';
import type { Operator } from './operators.ts';

type InputObject = InputObjectRef<SchemaTypes, unknown>;
type Operand = ColumnType | EnumRef<SchemaTypes, string> | InputRef<unknown>;

const texts: Readonly<Record<Operator, string>> = {
  eq: 'Equal to this value.',
  ne: 'Not equal to this value, or unset.',
  in: 'Equal to any of these values.',
  notIn: 'Equal to none of these values, or unset.',
  lt: 'Less than this value.',
  lte: 'At most this value.',
  gt: 'Greater than this value.',
  gte: 'At least this value.',
  contains: 'Contains this text, ignoring case.',
  startsWith: 'Starts with this text, ignoring case.',
  isNull: 'Whether the value is unset.',
};

const equality = ['eq', 'ne', 'in', 'notIn'] as const;
const bounds = ['lt', 'lte', 'gt', 'gte'] as const;

/** The operators of columns, by the scalar; enums have those of numbers. */
const operatorsOf: Readonly<Record<string, readonly Operator[]>> = {
  ID: [...equality, 'isNull'],
  Boolean: [...equality, 'isNull'],
  String: [...equality, 'contains', 'startsWith', ...bounds, 'isNull'],
};
const ordered: readonly Operator[] = [...equality, ...bounds, 'isNull'];

/** The filter types whose names differ from that of their scalar. */
const filterNames: Readonly<Record<string, string>> = { ID: 'Id', String: 'Text' };

/** The type of the values that a filter of dates or times takes. */
const operandTypes: Readonly<Record<string, string>> = { Date: 'RelativeDate', DateTime: 'RelativeDateTime' };

/** Creates filter types, each once. */
export class FilterTypes {
  private readonly operators = new Map<string, InputObject>();
  private readonly filters = new Map<string, InputObject>();
  private readonly lists = new Map<string, InputObject>();

  constructor(private readonly kit: SchemaKit) {}

  /** The filter of a type's rows. */
  filter(rows: Filterable): InputObject {
    const { type, model, columns, computed } = rows;
    return getOrCreate(this.filters, type, () => {
      const ref: InputObject = this.kit.builder.inputRef(`${type}Filter`);
      this.kit.builder.inputType(ref, {
        description: `Conditions on ${words(plural(type))}, all of which must hold.`,
        fields: (t) => {
          const fields: InputFieldMap = {};
          const add = (name: string, type: InputObject | [InputObject], description: string, extensions = {}) => {
            fields[name] = t.field({ type, description, extensions });
          };
          for (const column of columns)
            add(
              column,
              this.operatorsFor(this.kit.columnType(model, column), columnFacts(model, column).enum),
              `Filter by \`${column}\`.`,
              { column: [model, column] },
            );
          for (const [name, { description }] of Object.entries(computed))
            add(name, this.operatorsFor('Boolean', false), description);
          for (const [name, { isList, target }] of Object.entries(rows.relations))
            add(
              name,
              isList ? this.list(target) : this.filter(target),
              `Filter by the ${isList ? listWords(name) : words(name)}.`,
              {
                relation: isList ? 'list' : 'one',
              },
            );
          add('and', [ref], 'All of these must hold.');
          add('or', [ref], 'At least one of these must hold.');
          add('not', ref, 'The filter must not match.');
          return fields;
        },
      });
      return ref;
    });
  }

  /** The filter of a list of related rows. */
  private list(target: Filterable): InputObject {
    return getOrCreate(this.lists, target.type, () =>
      this.kit.builder.inputType(`${target.type}ListFilter`, {
        description: `Conditions on related ${words(plural(target.type))}.`,
        fields: (t) => {
          const type = this.filter(target);
          return {
            some: t.field({ type, description: 'At least one matches.' }),
            none: t.field({ type, description: 'None matches.' }),
            every: t.field({ type, description: 'Every row matches; also true without rows.' }),
          };
        },
      }),
    );
  }

  /** The operators of a type of values. */
  private operatorsFor(values: ColumnType, isEnum: boolean): InputObject {
    // Types that are not named by a string are references to enums, which have a name.
    const name = typeof values === 'string' ? values : (values as { name: string }).name;
    return getOrCreate(this.operators, name, () =>
      this.kit.builder.inputType(`${filterNames[name] ?? name}Filter`, {
        description: 'Conditions on a value, all of which must hold.',
        extensions: { operators: true },
        fields: (t) => {
          // Here and below: Pothos infers the shape of a type that is known at compile time only.
          const operand = (operandTypes[name] ?? values) as Operand;
          const known = (!isEnum && operatorsOf[name]) || ordered;
          return Object.fromEntries(
            known.map((operator) => {
              const type = operator === 'isNull' ? 'Boolean' : operand;
              const isList = operator === 'in' || operator === 'notIn';
              return [operator, t.field({ type: (isList ? [type] : type) as 'Boolean', description: texts[operator] })];
            }),
          );
        },
      }),
    );
  }
}
