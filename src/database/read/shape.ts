// Takes the arguments of a read apart: their values, and their shape, which decides the text of the statement.

import type { MeasuredList, ValueCondition, Where } from './conditions.ts';
import { isOperators, isReference, isShort } from './field-conditions.ts';
import type { FindArgs } from './find.ts';
import type { RowFilter, StatementAccess } from './row-access.ts';
import type { PageArgs } from './rows.ts';
import { Slot } from './slot.ts';

/** The parts of a condition that hold further ones. */
const ofConditions = new Set(['AND', 'OR', 'NOT']);

/** What is part of the text: the type that rows are read as, and how texts are compared. */
const ofText = new Set(['as', 'mode']);

/** The operators whose operands are values, also where these are objects. */
const ofValues = new Set(['equals', 'lt', 'lte', 'gt', 'gte', 'in', 'notIn', 'contains', 'startsWith', 'endsWith']);

/** The arguments of a read with slots for their values. Reads of the same shape are compiled to the same statement. */
export class Shape {
  readonly values: unknown[] = [];

  /** @param text all but the values: that of the arguments is added */
  constructor(public text: string) {}

  /** The access without its row filters, which are asked for when a table is opened. */
  access({ companyId, memberId, models }: StatementAccess, filterOf: RowFilter): StatementAccess {
    return {
      models,
      companyId: this.slot(companyId),
      memberId: memberId === undefined ? undefined : this.slot(memberId),
      filterOf,
    };
  }

  /** @param args what their plan selects is no part of the shape */
  find(args: FindArgs): FindArgs {
    const { select, plan, pages } = args;
    if (select !== plan) this.text += JSON.stringify(select);
    return {
      ...args,
      ...this.page(args),
      pages: pages?.map((each) => {
        this.text += each.isLater ? ' later ' : ' ';
        return { ...each, args: { ...each.args, ...this.page(each.args) }, counted: this.where(each.counted) };
      }),
    };
  }

  /** A condition. */
  where(where: Where): Where {
    const parts: Record<string, unknown> = {};
    this.text += '{';
    for (const [key, value] of Object.entries(where)) {
      this.text += `${key}:`;
      parts[key] = this.operand(key, value);
      this.text += ',';
    }
    this.text += '}';
    return parts;
  }

  private page({ where, as, orderBy, take, skip, lock }: PageArgs): Pick<PageArgs, 'where' | 'skip'> {
    this.text += `${as} ${take} ${lock} ${JSON.stringify(orderBy)}`;
    return { where: where && this.where(where), skip: skip && this.slot(skip) };
  }

  private operand(key: string, value: unknown): unknown {
    if (key === 'VALUE') return this.computed(value as ValueCondition);
    if (key === 'measured') return this.measured(value as MeasuredList);
    if (ofConditions.has(key) && Array.isArray(value)) {
      this.text += '[';
      const all = value.map((each) => this.operand('', each));
      this.text += ']';
      return all;
    }
    if (isOperators(value) && !ofValues.has(key)) return this.where(value);
    // A condition that is undefined stays one, as conditions decide what it says.
    if (value == null || ofText.has(key)) {
      this.text += ` ${String(value)}`;
      return value;
    }
    if (isReference(value)) {
      const { name, times } = value;
      this.text += `@${name}`;
      return times === undefined ? value : { ...value, times: this.slot(times) };
    }
    return this.slot(value, key === 'contains' && isShort(value));
  }

  private computed({ of, is }: ValueCondition): Where {
    const { kind, ...parts } = of;
    this.text += kind;
    // Its columns are part of the text, and a time is a value.
    const from = Object.entries(parts).map(([name, part]) => {
      if (part instanceof Date) return [name, this.slot(part)] as const;
      this.text += JSON.stringify(part);
      return [name, part] as const;
    });
    return { of: { kind, ...Object.fromEntries(from) }, is: this.where(is) };
  }

  private measured({ measure, through, where = {}, is }: MeasuredList): Where {
    this.text += JSON.stringify([measure, through]);
    return { measure, through, where: this.where(where), is: this.where(is) };
  }

  private slot(value: unknown, isShort = false): Slot {
    this.text += isShort ? '~' : '?';
    return new Slot(this.values.push(value) - 1, isShort);
  }
}
