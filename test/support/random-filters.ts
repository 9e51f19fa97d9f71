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
import { drawFigure } from './random-figures.ts';
import { measuresOf, numbersOf, snakeCase, wordOf } from './resources.ts';

/** Creates random filters and orders of a schema's lists. */
export class RandomFilters extends Random {
  /**
   * @param samples rows of each GraphQL type, whose values conditions use
   * @param computes whether there are conditions on what is computed of rows and lists, and on several fields at once
   */
  constructor(
    seed: number,
    private readonly schema: GraphQLSchema,
    private readonly samples: (type: string) => readonly Row[],
    private readonly computes = false,
  ) {
    super(seed);
  }

  /** A filter of a type's rows. @param depth how many levels it may have */
  filter(type: string, depth: number): Row {
    const fields = Object.values(this.input(`${type}Filter`).getFields());
    const columns = fields.filter(
      ({ name, type: of }) =>
        getNamedType(of).extensions['operators'] && (this.computes || !(name in measuresOf(type))),
    );
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
        if (to.list && this.computes && this.chance(0.4)) return { [name]: { measure: this.measures(to.type, inner) } };
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
    const figure = this.computes && this.chance(0.3) ? drawFigure(this, this.schema, type) : undefined;
    if (figure !== undefined) return { measure: figure, direction };
    if (depth > 0 && relations.length > 0 && this.chance(0.4)) {
      const { name } = this.pick(relations);
      const { direction: _, ...inner } = this.key(this.typeOf(type, name)?.type ?? '', depth - 1);
      return { [name]: inner, direction };
    }
    const field = getNamedType(fields.find(({ name }) => name === 'field')?.type);
    return { field: isEnumType(field) ? this.pick(field.getValues()).name : '', direction };
  }

  /** Conditions on what is computed of a list of rows. @param filter of the rows that are measured */
  private measures(type: string, filter: () => Row): Row {
    const fields = Object.values(this.input(`${type}Measures`).getFields()).filter(({ name }) => name !== 'where');
    const { name, type: of } = this.pick(fields);
    const condition = () => ({ [this.pick(['lt', 'lte', 'eq', 'ne', 'gte', 'gt'])]: this.integer(4) });
    const isCount = getNamedType(of).extensions['operators'];
    const computed = isCount ? condition() : { [this.pick(['sum', 'avg', 'min', 'max'])]: condition() };
    return { ...(this.chance(0.5) && { where: filter() }), [name]: computed };
  }

  private conditions(type: string, name: string, operators: GraphQLInputObjectType): Row {
    const compares = this.computes && numbersOf(type).length > 0;
    const known = Object.keys(operators.getFields()).filter((operator) => compares || operator !== 'compare');
    const values =
      name in measuresOf(type)
        ? Array.from({ length: 3 }, () => this.integer(2000) / 8)
        : this.samples(type).map((row) => row[name]);
    const set = values.filter((value) => value != null).map((value) => inJson(value, operators.name === 'DateFilter'));
    const conditions: Row = {};
    if (this.chance(0.05)) return conditions;
    for (const operator of [this.pick(known), ...this.some(known, 1)]) {
      if (operator === 'compare') {
        const field = this.pick(numbersOf(type));
        const times = this.chance(0.5) ? {} : { times: this.pick([0.5, 1, 2]) };
        conditions[operator] = { is: this.pick(['EQ', 'NE', 'LT', 'LTE', 'GT', 'GTE']), field, ...times };
        continue;
      }
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
  if (type.name === 'Compare') {
    const { is, field, ...others } = value as Row;
    return { is: String(is).toLowerCase(), field: snakeCase(String(field)), ...others };
  }
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
