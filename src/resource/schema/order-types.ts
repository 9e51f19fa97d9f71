// The GraphQL types of orders.
import type { InputFieldMap } from '@pothos/core';
import { constantCase, spaced } from '../../names.ts';
import type { Filterable } from '../filter/filterable.ts';
import { hasLists } from '../filter/list-figures.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { OrderTypes, SchemaKit } from './schema-kit.ts';

/** Creates order types, each once. */
export class OrderTypeFactory {
  private readonly types = new Map<string, OrderTypes>();

  constructor(private readonly kit: SchemaKit) {}

  /** The types by which lists of these rows are sorted. */
  of(rows: Filterable): OrderTypes {
    return getOrCreate(this.types, rows.type, () => this.create(rows));
  }

  private create(rows: Filterable): OrderTypes {
    const { type, columns } = rows;
    const { builder } = this.kit;
    const sort: OrderTypes['sort'] = builder.enumType(`${type}Sort`, {
      description: `Fields to sort ${type} lists by.`,
      values: Object.fromEntries(
        columns.map((column) => [
          constantCase(column),
          {
            value: column,
            description: `Sort by \`${column}\`.`,
            extensions: { role: rows.stored[column]?.role },
          },
        ]),
      ),
    });
    const order: OrderTypes['order'] = builder.inputRef(`${type}Order`);
    builder.inputType(order, {
      description: 'A field of the row or a related one, or what is computed of a list; null last.',
      fields: (t) => {
        const fields: InputFieldMap = {
          field: t.field({ type: sort, description: 'The field.' }),
          ...(hasLists(rows) && { measure: t.string({ description: '`comments.count`, `invoices.amount.sum`.' }) }),
          direction: t.field({ type: this.kit.sortOrder, description: 'Ascending by default.' }),
        };
        for (const [name, { isList, target }] of Object.entries(rows.relations)) {
          // The items of a row have no list of their own, so they have no order type.
          if (isList) continue;
          fields[name] = t.field({ type: this.of(target).order, description: `A field of the ${spaced(name)}.` });
        }
        return fields;
      },
    });
    return { sort, order };
  }
}
