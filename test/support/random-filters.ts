import {
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
} from 'graphql';
import type { Row } from './client.ts';
import type { TypeOf } from './filter-model.ts';
import { Random } from './random.ts';
import { snakeCase, wordOf } from './resources.ts';

/** Creates random filters and orders of a schema's lists. */
export class RandomFilters extends Random {
  /** @param samples rows of each GraphQL type, whose values conditions use */
  constructor(
    seed: number,
    private readonly schema: GraphQLSchema,
    private readonly samples: (type: string) => readonly Row[],
  ) {
    super(seed);
  }

  /** A filter of a type's rows. @param depth how many levels it may have */
  filter(type: string, depth: number): Row {
    const fields = Object.values(this.input(`${type}Filter`).getFields());
    const columns = fields.filter(({ type }) => getNamedType(type).extensions['operators']);
    const relations = fields.filter(({ extensions }) => extensions['relation']);
    const parts = Array.from({ length: 1 + this.integer(2) }, (): Row => {
      const kind = depth > 0 ? this.integer(9) : 0;
      if (kind === 5) return { and: [this.filter(type, depth - 1), this.filter(type, depth - 1)] };
      if (kind === 6) return { or: [this.filter(type, depth - 1), this.filter(type, depth - 1)] };
      if (kind === 7) return { not: this.chance(0.1) ? {} : this.filter(type, depth - 1) };
      if (kind === 8 && relations.length > 0) {
        const { name } = this.pick(relations);
        const to = this.typeOf(type, name);
        if (!to) throw new Error(`${type}.${name} is no relation`);
        const inner = () => (this.chance(0.1) ? {} : this.filter(to.type, depth - 1));
        return { [name]: to.list ? { [this.pick(['some', 'none', 'every'])]: inner() } : inner() };
      }
      const { name, type: operators } = this.pick(columns);
      return { [name]: this.conditions(type, name, getNamedType(operators) as GraphQLInputObjectType) };
    });
    return Object.assign({}, ...parts) as Row;
  }

  /** Keys of an order, of which the last is the id. */
  orderBy(type: string): Row[] {
    const keys = Array.from({ length: this.integer(3) }, () => this.key(type, 2));
    return [...keys, { field: 'ID', direction: this.pick(['ASC', 'DESC']) }];
  }

  private key(type: string, depth: number): Row {
    const fields = Object.values(this.input(`${type}Order`).getFields());
    const relations = fields.filter(({ type }) => isInputObjectType(getNamedType(type)));
    const direction = this.pick(['ASC', 'DESC']);
    if (depth > 0 && relations.length > 0 && this.chance(0.4)) {
      const { name } = this.pick(relations);
      const { direction: _, ...inner } = this.key(this.typeOf(type, name)?.type ?? '', depth - 1);
      return { [name]: inner, direction };
    }
    const field = getNamedType(fields.find(({ name }) => name === 'field')?.type);
    return { field: isEnumType(field) ? this.pick(field.getValues()).name : '', direction };
  }

  private conditions(type: string, name: string, operators: GraphQLInputObjectType): Row {
    const known = Object.keys(operators.getFields());
    const values = this.samples(type).map((row) => row[name]);
    const set = values.filter((value) => value != null).map((value) => inJson(value, operators.name === 'DateFilter'));
    const conditions: Row = {};
    if (this.chance(0.05)) return conditions;
    for (const operator of [this.pick(known), ...this.some(known, 1)]) {
      if (operator === 'isNull' || name === 'lowStock') {
        if (operator !== 'in' && operator !== 'notIn') conditions[operator] = this.chance(0.5);
        continue;
      }
      if (operator === 'in' || operator === 'notIn') conditions[operator] = this.some(set, 3);
      else if (set.length > 0) conditions[operator] = this.operand(operator, this.pick(set));
    }
    return conditions;
  }

  private operand(operator: string, value: unknown): unknown {
    if (typeof value !== 'string') return value;
    if (operator === 'contains') return value.slice(this.integer(4), 4 + this.integer(4)).toUpperCase() || '1';
    return operator === 'startsWith' ? value.slice(0, 1 + this.integer(5)).toUpperCase() : value;
  }

  /** The type that a relation of a filter leads to. */
  readonly typeOf: TypeOf = (type, name) => {
    const field = this.input(`${type}Filter`).getFields()[name];
    if (!field?.extensions['relation']) return undefined;
    const [, target = '', list] = /^(.*?)(List)?Filter$/.exec(getNamedType(field.type).name) ?? [];
    return { type: target, list: list !== undefined };
  };

  /** A filter in REST's names and values. */
  inRest(type: string, filter: Row): unknown {
    return inRestNames(this.input(`${type}Filter`), filter);
  }

  private input(name: string): GraphQLInputObjectType {
    const found = this.schema.getType(name);
    if (!isInputObjectType(found)) throw new Error(`the schema has no input ${name}`);
    return found;
  }
}

function inRestNames(type: GraphQLNamedType, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => inRestNames(type, each));
  if (isEnumType(type)) return wordOf(type, String(value));
  if (!isInputObjectType(type)) return value;
  const fields = type.getFields();
  return Object.fromEntries(
    Object.entries(value as Row).map(([name, inner]) => [
      snakeCase(name),
      inRestNames(getNamedType(fields[name]?.type) as GraphQLNamedType, inner),
    ]),
  );
}

/** A stored value in JSON. */
function inJson(value: unknown, isDay: boolean): unknown {
  if (value instanceof Date) return isDay ? value.toISOString().slice(0, 10) : value.toISOString();
  return typeof value === 'object' && value !== null ? Number(value) : value;
}
