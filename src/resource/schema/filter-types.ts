// The GraphQL types of filters.
import type { InputFieldMap, InputObjectRef } from '@pothos/core';
import { boolean, type FieldType, type Operator } from '../../fields/index.ts';
import { apiField } from '../definition/model.ts';
import type { Filterable } from '../filter/filterable.ts';
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
    const { type, words, columns, computed } = rows;
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
          };
        },
      }),
    );
  }

  /** The operators of a type of values. @param values the GraphQL type that it has in this schema */
  private operatorsFor({ comparison }: FieldType, values: ColumnType): InputObject {
    const { name, operators, operand } = comparison;
    return getOrCreate(this.operators, name, () =>
      this.kit.builder.inputType(`${name}Filter`, {
        description: 'Conditions on a value, all of which must hold.',
        extensions: { operators: true },
        fields: (t) =>
          Object.fromEntries(
            operators.map((operator) => {
              const type = operator === 'isNull' ? 'Boolean' : (operand?.scalar.name ?? values);
              const isList = operator === 'in' || operator === 'notIn';
              // Pothos infers the shape of a type that is known at compile time only.
              return [operator, t.field({ type: (isList ? [type] : type) as 'Boolean', description: texts[operator] })];
            }),
          ),
      }),
    );
  }
}
