// The GraphQL types of filters.
import type { InputFieldMap, InputObjectRef } from '@pothos/core';
import { boolean, decimal, type FieldType, type Operator } from '../../fields/index.ts';
import { columnsOf } from '../definition/measures.ts';
import { apiField } from '../definition/model.ts';
import type { Filterable } from '../filter/filterable.ts';
import { measureKind } from '../filter/measures.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { SchemaTypes } from './builder.ts';
import type { ColumnType, SchemaKit } from './schema-kit.ts';

type InputObject = InputObjectRef<SchemaTypes, unknown>;

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

/** Creates filter types, each once. */
export class FilterTypes {
  private readonly operators = new Map<string, InputObject>();
  private readonly filters = new Map<string, InputObject>();
  private readonly lists = new Map<string, InputObject>();

  constructor(private readonly kit: SchemaKit) {}

  /** The filter of a type's rows. */
  filter(rows: Filterable): InputObject {
    const { type, words, columns, computed, measures } = rows;
    return getOrCreate(this.filters, type, () => {
      const ref: InputObject = this.kit.builder.inputRef(`${type}Filter`);
      this.kit.builder.inputType(ref, {
        description: `Conditions on ${words.many}, all of which must hold.`,
        fields: (t) => {
          const fields: InputFieldMap = {};
          const add = (name: string, type: InputObject | [InputObject], description: string, extensions = {}) => {
            fields[name] = t.field({ type, description, extensions });
          };
          for (const name of columns) {
            const stored = apiField(rows, name);
            const type = this.operatorsFor(stored.type, this.kit.columnType(stored));
            add(name, type, `Filter by \`${name}\`.`, { stored });
          }
          for (const [name, { description }] of Object.entries(computed))
            add(name, this.operatorsFor(boolean, 'Boolean'), description);
          for (const [name, measure] of Object.entries(measures)) {
            const isRelated = columnsOf(measure).some((column) => column.includes('.'));
            const extensions = { isRelated };
            add(name, this.operatorsFor(decimal, 'Float'), measure.description, extensions);
          }
          for (const [name, { isList, target, words: related }] of Object.entries(rows.relations))
            add(name, isList ? this.list(target) : this.filter(target), `Filter by the ${related}.`, {
              relation: isList ? 'list' : 'one',
            });
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
        description: `Conditions on related ${target.words.many}.`,
        fields: (t) => {
          const type = this.filter(target);
          return {
            some: t.field({ type, description: 'At least one matches.' }),
            none: t.field({ type, description: 'None matches.' }),
            every: t.field({ type, description: 'Every row matches; also true without rows.' }),
            measure: t.field({
              type: this.measures(target),
              description: 'What is computed of them.',
              extensions: { measuresList: true },
            }),
          };
        },
      }),
    );
  }

  /** Conditions on what is computed of a list of related rows. */
  private measures(target: Filterable): InputObject {
    const { type, words, columns } = target;
    return this.kit.builder.inputType(`${type}Measures`, {
      description: `Conditions on what is computed of related ${words.many}.`,
      fields: (t) => {
        const numbers = columns.filter((column) => measureKind(target, column) === 'Number');
        const computed = this.computed();
        return {
          where: t.field({ type: this.filter(target), description: 'Filter.' }),
          count: t.field({ type: this.operatorsFor(decimal, 'Float'), description: 'Number of rows.' }),
          ...Object.fromEntries(
            numbers.map((column) => [column, t.field({ type: computed, description: `Measures of \`${column}\`.` })]),
          ),
        };
      },
    });
  }

  /** Conditions on what is computed of numbers. */
  private computed(): InputObject {
    return getOrCreate(this.operators, 'Measures', () => {
      const type = this.operatorsFor(decimal, 'Float');
      return this.kit.builder.inputType('NumberMeasures', {
        description: 'Conditions on what is computed of numbers; unset ones are left out.',
        fields: (t) => ({
          sum: t.field({ type, description: 'The sum.' }),
          avg: t.field({ type, description: 'The average.' }),
          min: t.field({ type, description: 'The smallest.' }),
          max: t.field({ type, description: 'The largest.' }),
        }),
      });
    });
  }

  /** What numbers are compared with: other numbers of their row. */
  private compare(): InputObject {
    return getOrCreate(this.operators, 'Compare', () => {
      const { builder } = this.kit;
      const is = builder.enumType('Comparison', {
        description: 'How two numbers are compared.',
        values: {
          EQ: { value: 'eq', description: 'Equal.' },
          NE: { value: 'ne', description: 'Not equal, or one is unset.' },
          LT: { value: 'lt', description: 'Less.' },
          LTE: { value: 'lte', description: 'At most.' },
          GT: { value: 'gt', description: 'Greater.' },
          GTE: { value: 'gte', description: 'At least.' },
        },
      });
      return builder.inputType('Compare', {
        description: 'A comparison with another number of the same row.',
        fields: (t) => ({
          is: t.field({ type: is, required: true, description: 'How.' }),
          field: t.string({ required: true, description: 'The other field.' }),
          times: t.float({ defaultValue: 1, description: 'By what the other number is multiplied.' }),
        }),
      });
    });
  }

  /** The operators of a type of values. @param values the GraphQL type that it has in this schema */
  private operatorsFor({ comparison, measure }: FieldType, values: ColumnType): InputObject {
    const { name, operators, operand } = comparison;
    const compare = measure === 'Number' ? this.compare() : undefined;
    return getOrCreate(this.operators, name, () =>
      this.kit.builder.inputType(`${name}Filter`, {
        description: 'Conditions on a value, all of which must hold.',
        extensions: { operators: true },
        fields: (t) => ({
          ...Object.fromEntries(
            operators.map((operator) => {
              const type = operator === 'isNull' ? 'Boolean' : (operand?.scalar.name ?? values);
              const isList = operator === 'in' || operator === 'notIn';
              // Pothos infers the shape of a type that is known at compile time only.
              return [operator, t.field({ type: (isList ? [type] : type) as 'Boolean', description: texts[operator] })];
            }),
          ),
          ...(compare && { compare: t.field({ type: compare, description: 'Compares with another field.' }) }),
        }),
      }),
    );
  }
}
