// Reads which keys and measures a request names, in REST's words, and writes them as a selection of GraphQL.
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLLeafType,
  GraphQLObjectType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  type GraphQLObjectType as ObjectType,
} from 'graphql';
import { badRequest, ServiceError } from '../../errors.ts';
import { isUuid } from '../../formats.ts';
import { readLeaf, suggest } from '../../input/index.ts';
import { fieldName } from '../names.ts';
import { namePattern, type Step, splitOutside, stepsOf, termOf } from './terms.ts';

/** What a group has under a name: a key or a figure. */
export interface GroupColumn {
  /** Its name in REST, with dots where it is nested. */
  readonly name: string;
  /** Its path in a group that was read. */
  readonly path: readonly string[];
  /** The type of its values. */
  readonly type: GraphQLLeafType;
}

/** A figure: a measure, or what is computed of others. */
interface Figure extends GroupColumn {
  /** Its selection, which names others by their paths. */
  readonly select: (where: readonly string[]) => string;
  readonly isDerived: boolean;
}

/** The most keys and figures that a request names. */
const maxNames = 50;

type Field = GraphQLField<unknown, unknown>;

/** Fields of groups that `measures` does not name. */
const others = ['key', 'totalOf', 'derived'];

/** The keys and figures of a request. */
export class GroupWords {
  readonly keys: readonly (GroupColumn & { readonly select: string })[];
  readonly figures: readonly Figure[];

  /**
   * @param group the type of groups in a schema of REST's form, whose fields have GraphQL's names
   * @throws ServiceError BAD_REQUEST
   */
  constructor(
    private readonly group: ObjectType,
    groupBy: string,
    measures: string,
  ) {
    const names = [...new Set(splitOutside(groupBy, ',').filter((text) => text !== ''))];
    this.keys = names.map((text, n) => this.readKey(text, n));
    assertDifferent(
      this.keys.map(({ name }) => name),
      names,
      'group_by',
    );
    const given = splitOutside(measures, ',').filter((text) => text !== '');
    if (names.length + given.length > maxNames)
      throw badRequest(`must be at most ${maxNames}, with the keys`, 'measures');
    this.figures = given.map((text, n) => this.readFigure(text, n));
    assertDifferent(
      this.figures.map(({ name }) => name),
      given,
      'measures',
    );
  }

  /** The selection of a group, in the syntax of GraphQL. @param where the variables of conditions, by figure */
  selection(where: ReadonlyMap<string, string>): string {
    const figures = this.figures.map(({ name, select }) => {
      const variable = where.get(name);
      return select(variable === undefined ? [] : [`where: $${variable}`]);
    });
    return [...this.keys.map(({ select }) => select), ...figures].join(' ');
  }

  /** The path of a key in a group. @throws ServiceError BAD_REQUEST for a name that is none of a key */
  keyAt(name: string, parameter: string): string {
    const key = this.keys.find((each) => each.name === name);
    if (!key) throw badRequest(mustBe('a key', this.keys), parameter);
    return key.path.join('.');
  }

  /** The path of a key or figure in a group. @throws ServiceError BAD_REQUEST for another name */
  placeOf(name: string, parameter: string): string {
    const all = [...this.keys, ...this.figures];
    const found = all.find((each) => each.name === name);
    if (!found) throw badRequest(mustBe('a key or measure', all), parameter);
    return found.path.join('.');
  }

  /** @throws ServiceError BAD_REQUEST */
  private figureAt(name: string): string {
    const measures = this.figures.filter(({ isDerived }) => !isDerived);
    const found = measures.find((each) => each.name === name);
    if (!found)
      throw badRequest(`names ${name.slice(0, 100)}, which ${mustBe('another measure', measures)}`, 'measures');
    return found.path.join('.');
  }

  private readKey(text: string, n: number) {
    const { alias, term } = termOf(text);
    const steps = stepsOf(term, 'group_by');
    let type = getNamedType(this.group.getFields()['key']?.type) as ObjectType;
    const fields = steps.map(({ name }, at): Field => {
      const field = isObjectType(type) ? named(Object.values(type.getFields()), name) : undefined;
      if (!field) throw badRequest(noSuch(name, isObjectType(type) ? fieldsOf(type) : []), 'group_by');
      type = getNamedType(field.type) as ObjectType;
      if (at === steps.length - 1 && isObjectType(type))
        throw badRequest(`${term.slice(0, 100)} must go on with ${namesIn(fieldsOf(type))}`, 'group_by');
      return field;
    });
    const name = nameOf(alias, steps, 'group_by');
    const [lastField, lastStep] = [fields.at(-1), steps.at(-1)];
    if (!lastField || !lastStep) throw badRequest('must name a key', 'group_by');
    // Those that take arguments have a name of their own, as several keys can have them.
    const above = fields.slice(0, -1).map((field, at) => {
      const given = this.argumentsOf(field, steps[at] ?? lastStep, false, 'group_by');
      return given.length === 0
        ? { name: field.name, select: field.name }
        : { name: `a${n}`, select: `a${n}: ${called(field, given)}` };
    });
    const inner = `k${n}: ${called(lastField, this.argumentsOf(lastField, lastStep, false, 'group_by'))}`;
    const select = above.reduceRight((below, outer) => `${outer.select} { ${below} }`, inner);
    const path = ['key', ...above.map((outer) => outer.name), `k${n}`];
    return { name, path, type: type as unknown as GraphQLLeafType, select: `key { ${select} }` };
  }

  private readFigure(text: string, n: number): Figure {
    const { alias, term } = termOf(text);
    const steps = stepsOf(term, 'measures');
    const name = nameOf(alias, steps, 'measures');
    if (['key', 'total_of'].includes(name)) throw badRequest(`cannot have the name ${name}`, 'measures');
    const [first, second, ...more] = steps;
    const measures = fieldsOf(this.group).filter((field) => !others.includes(field.name));
    const derived = fieldsOf(getNamedType(this.group.getFields()['derived']?.type));
    const field = first && named(measures, first.name);
    const key = `m${n}`;
    if (!field) {
      const computed = first && named(derived, first.name);
      if (!computed || second) throw badRequest(noSuch(first?.name ?? '', [...measures, ...derived]), 'measures');
      // Figures that it names may come later.
      const select = () => `${key}: derived { v: ${called(computed, this.argumentsOf(computed, first, true))} }`;
      return { name, path: [key, 'v'], type: leafOf(computed), select, isDerived: true };
    }
    const outer = this.argumentsOf(field, first);
    const measured = (where: readonly string[]) => `${key}: ${called(field, [...outer, ...where])}`;
    const values = getNamedType(field.type);
    if (isLeafType(values)) {
      if (second) throw badRequest(`${term.slice(0, 100)} must end with ${first.name}`, 'measures');
      return { name, path: [key], type: values, select: measured, isDerived: false };
    }
    const value = second && named(fieldsOf(values), second.name);
    if (!value || more.length > 0)
      throw badRequest(`${term.slice(0, 100)} must be ${first.name} with ${namesIn(fieldsOf(values))}`, 'measures');
    const inner = called(value, this.argumentsOf(value, second));
    const select = (where: readonly string[]) => `${measured(where)} { v: ${inner} }`;
    return { name, path: [key, 'v'], type: leafOf(value), select, isDerived: false };
  }

  /** The arguments of a field. @param namesFigures whether they name keys and figures */
  private argumentsOf({ name, args }: Field, { given }: Step, namesFigures = false, parameter = 'measures'): string[] {
    const open = args.filter((argument) => argument.name !== 'where');
    const values = new Map<string, string>();
    let place = 0;
    for (const text of given) {
      const [, by, value = ''] = /^(?:(\w+)=)?(.*)$/s.exec(text) ?? [];
      const argument = by === undefined ? open[place] : open.find((each) => fieldName(each.name) === by);
      if (!argument) throw badRequest(`gives ${fieldName(name)} more than ${namesIn(open) || 'it takes'}`, parameter);
      const isMany = isListType(getNullableType(argument.type));
      if (by === undefined && !isMany) place += 1;
      const known = values.get(argument.name);
      const literal = this.literal(name, argument, value, namesFigures, parameter);
      values.set(argument.name, isMany && known !== undefined ? `${known}, ${literal}` : literal);
    }
    const missing = open.filter((argument) => String(argument.type).endsWith('!') && !values.has(argument.name));
    if (missing.length > 0) throw badRequest(`must give ${fieldName(name)} ${namesIn(missing)} in brackets`, parameter);
    return open.flatMap((argument) => {
      const value = values.get(argument.name);
      if (value === undefined) return [];
      return [`${argument.name}: ${isListType(getNullableType(argument.type)) ? `[${value}]` : value}`];
    });
  }

  private literal(
    name: string,
    argument: GraphQLArgument,
    text: string,
    namesFigures: boolean,
    parameter: string,
  ): string {
    if (namesFigures && getNamedType(argument.type).name === 'String')
      return JSON.stringify(
        isListType(getNullableType(argument.type)) ? this.keyAt(text, 'measures') : this.figureAt(text),
      );
    const leaf = getNamedType(argument.type);
    if (!isLeafType(leaf)) throw new Error(`${argument.name} is no value.`);
    try {
      const value = readLeaf(leaf, text, 'text', isUuid);
      return typeof value === 'string' ? JSON.stringify(value) : text;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw badRequest(`${fieldName(name)}(${fieldName(argument.name)}) ${error.reason}`, parameter);
    }
  }
}

/** The names of keys, separated by commas. */
export const namesOf = (text: string): string[] =>
  text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));

const called = ({ name }: Field, args: readonly string[]) => (args.length > 0 ? `${name}(${args.join(', ')})` : name);

/** @throws ServiceError BAD_REQUEST where two have one name, or one is nested in another */
function assertDifferent(names: readonly string[], texts: readonly string[], parameter: string): void {
  for (const [n, name] of names.entries())
    if (names.some((other, m) => m < n && (other === name || isBelow(other, name) || isBelow(name, other))))
      throw badRequest(`has ${name} twice; give one a name of its own, as in other:${texts[n]}`, parameter);
}

/** The name of a key or figure: that which the request gives it, or its own. @throws ServiceError BAD_REQUEST */
function nameOf(alias: string | undefined, steps: readonly Step[], parameter: string): string {
  if (alias !== undefined && !namePattern.test(alias))
    throw badRequest(`has the name ${alias.slice(0, 100)}, which must be letters, digits and underscores`, parameter);
  return alias ?? steps.map(({ name }) => name).join('.');
}

const isBelow = (name: string, above: string) => name.startsWith(`${above}.`);

const fieldsOf = (type: unknown): Field[] => (type instanceof GraphQLObjectType ? Object.values(type.getFields()) : []);

const named = (fields: readonly Field[], name: string) => fields.find((field) => fieldName(field.name) === name);

/** The type of a field whose values have no fields, as those of all figures. */
const leafOf = ({ type }: Field): GraphQLLeafType => getNamedType(type) as GraphQLLeafType;

const namesIn = (named: readonly { readonly name: string }[]) => named.map(({ name }) => fieldName(name)).join(', ');

const noSuch = (name: string, known: readonly Field[]) =>
  `has no ${name.slice(0, 100)}${suggest(
    name,
    known.map((field) => fieldName(field.name)),
  )}`;

const mustBe = (what: string, all: readonly GroupColumn[]) =>
  `must be ${what}: ${all.map(({ name }) => name).join(', ') || 'there is none'}`;
