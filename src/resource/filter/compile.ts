// Compiles filters to Prisma's conditions.
import type { Context } from '../../context.ts';
import type { MeasuredList } from '../../database/read/conditions.ts';
import type { ApiField } from '../../database/stored-field.ts';
import { badRequest } from '../../errors.ts';
import { boolean, decimal, type FieldType, type Operator } from '../../fields/index.ts';
import { messages, oneOf } from '../../input/index.ts';
import { snakeCase } from '../../names.ts';
import { assertReadable } from '../access/hidden-columns.ts';
import { apiField, matchesAll, type Where } from '../definition/model.ts';
import { allOf, type Compiled, someOf } from './combine.ts';
import type { Filterable, FilterRelation } from './filterable.ts';
import { figureField, figureWhere } from './list-figures.ts';
import { assertMayCross } from './may-cross.ts';
import { measureKind, measureValue } from './measures.ts';
import { anyOf, fieldWhere, maxFilterValues, none, readOperand } from './operators.ts';

/** A filter, as GraphQL's types give it. */
export type Filter = Readonly<Record<string, unknown>>;

/** Bounds of one filter. */
export const filterLimits = {
  /** Levels of `and`, `or`, `not` and relations. */
  depth: 8,
  /** Operators with a value. */
  conditions: 100,
  /** Conditions on related rows. */
  relations: 8,
  /** Conditions on a list behind a to-one relation: each is evaluated once for each related row. */
  nestedLists: 1,
} as const;

/**
 * Compiles a list's filter. Conditions on related rows require the read scope of those rows, and consider only those
 * that the caller can access.
 *
 * @throws ServiceError BAD_REQUEST naming the wrong part, or INSUFFICIENT_SCOPE
 */
export function filterWhere(rows: Filterable, filter: Filter | null | undefined, context: Context): Where {
  return (filter && new FilterCompiler(context).compile(rows, filter, false, [])) ?? {};
}

type Path = readonly string[];

/**
 * Compiles one filter. A negated filter is its complement: each row matches exactly one of the two, as do the rows of
 * each part. Negations are therefore moved inwards, to single conditions.
 */
class FilterCompiler {
  // What was counted so far of each of `filterLimits`.
  private conditions = 0;
  private relations = 0;
  private nestedLists = 0;
  /** The number of relations that lead to the filter that is compiled now. */
  private relationDepth = 0;

  constructor(private readonly context: Context) {}

  /** @param negated whether to compile the complement @param path the place in the whole filter */
  compile(rows: Filterable, filter: Filter, negated: boolean, path: Path): Compiled {
    const parts = Object.entries(filter).map(([name, value]) =>
      this.compilePart(rows, name, value, negated, [...path, name]),
    );
    return allOf(parts, negated);
  }

  /** Compiles a field of a filter: a column, a relation, or `and`, `or` and `not`. */
  private compilePart(rows: Filterable, name: string, value: unknown, negated: boolean, path: Path): Compiled {
    if (value === null) throw badRequest(messages.notNull, path.join('.'));
    // GraphQL has read it by its type.
    const given = value as Filter;
    if (name === 'not') return this.compileNested(rows, given, !negated, path);
    if (name === 'and' || name === 'or') {
      const parts = (value as Filter[]).map((each, n) => this.compileNested(rows, each, negated, [...path, String(n)]));
      return name === 'and' ? allOf(parts, negated) : someOf(parts, negated);
    }
    const relation = rows.relations[name];
    if (relation) return this.compileRelation(rows, relation, given, negated, path);
    const conditions = Object.entries(given).map(([operator, operand]) =>
      this.compileCondition(rows, name, operator as AnyOperator, operand, negated, [...path, operator]),
    );
    return allOf(conditions, negated);
  }

  /** Compiles a filter inside another. @param path its place @throws ServiceError BAD_REQUEST if it is too deep */
  private compileNested(rows: Filterable, filter: Filter, negated: boolean, path: Path): Compiled {
    const levels = path.filter((step) => !/^\d+$/.test(step)).length;
    if (levels > filterLimits.depth)
      throw badRequest(
        `is nested more than ${filterLimits.depth} levels deep; use fewer of and, or, not and relations`,
        'filter',
      );
    return this.compile(rows, filter, negated, path);
  }

  /** Compiles conditions on related rows. @throws ServiceError INSUFFICIENT_SCOPE */
  private compileRelation(
    rows: Filterable,
    relation: FilterRelation,
    given: Filter,
    negated: boolean,
    path: Path,
  ): Compiled {
    assertMayCross(relation, this.context, path.join('.'));
    if (!relation.isList) return this.compileToOne(relation, given, negated, path);
    const parts = Object.entries(given).map(([quantifier, filter]) => {
      const inner = [...path, quantifier];
      if (filter === null) throw badRequest(messages.notNull, inner.join('.'));
      if (quantifier === 'measure') {
        this.countNestedList(path);
        return this.compileMeasured(rows, relation, filter as Filter, negated, inner);
      }
      return this.compileToMany(relation, quantifier as Quantifier, filter as Filter, negated, inner);
    });
    return allOf(parts, negated);
  }

  /** Compiles a condition on the row that a reference names. Without that row the condition does not hold. */
  private compileToOne(relation: FilterRelation, filter: Filter, negated: boolean, path: Path): Compiled {
    const { relation: name, reference, isFiltered, target } = relation;
    const matching = this.compileRelated(target, filter, negated, path);
    if (!matching) return undefined;
    // A row that the caller cannot access is as if it were not there.
    if (isFiltered) {
      const related = matching === none ? none : { [name]: { is: matching } };
      return negated ? anyOf([{ [name]: { is: null } }, related]) : related;
    }
    const unset = reference === undefined ? none : { [reference]: null };
    const related = matching === none ? none : matchesAll(matching) ? undefined : { [name]: { is: matching } };
    if (negated) return anyOf([unset, related ?? {}]);
    return related ?? (reference === undefined ? {} : { [reference]: { not: null } });
  }

  /** Compiles a condition on the rows of a list. `some` and `none` ask for rows also where their filter is empty. */
  private compileToMany(
    relation: FilterRelation,
    quantifier: Quantifier,
    filter: Filter,
    negated: boolean,
    path: Path,
  ): Compiled {
    const { relation: name, target, through, as } = relation;
    this.countNestedList(path);
    // `every` holds if no row fails to match, so its filter is negated.
    const matching = this.compileRelated(target, filter, quantifier === 'every', path);
    if (!matching && quantifier === 'every') return undefined;
    const exists = (quantifier === 'some') !== negated;
    if (matching === none) return exists ? none : {};
    const inner = through ? throughWhere(through, matching ?? {}) : (matching ?? {});
    return { [name]: { [exists ? 'some' : 'none']: inner, ...(as !== undefined && { as }) } };
  }

  /** Compiles the filter of related rows. */
  private compileRelated(rows: Filterable, filter: Filter, negated: boolean, path: Path): Compiled {
    this.countRelation(path);
    this.relationDepth += 1;
    const matching = this.compileNested(rows, filter, negated, path);
    this.relationDepth -= 1;
    return matching;
  }

  /** Compiles one operator of a field or a computed filter. */
  private compileCondition(
    rows: Filterable,
    name: string,
    operator: AnyOperator,
    given: unknown,
    negated: boolean,
    steps: Path,
  ): Where {
    const path = steps.join('.');
    this.countCondition(path);
    const { policies, normalized, computed: filters, measures } = rows;
    const measure = measures[name];
    if (measure) {
      const is = this.compileField(rows, { field: figureField, operator, given }, negated, path);
      return { VALUE: { of: measureValue(rows, name, measure, this.context), is } };
    }
    assertReadable(this.context.caller, policies, name, path);
    const computed = filters[name];
    const { field = computed ? undefined : apiField(rows, name), normalize } = normalized[name] ?? {};
    if (field) return this.compileField(rows, { field, operator, given, normalize }, negated, path);
    // Booleans are not compared with other fields.
    const operand = this.readOperands(boolean, given, path);
    return computed ? this.compileComputed(computed, operator as Operator, operand, negated) : none;
  }

  /** Compiles a condition on a column, or on a number that is computed. @param path its place */
  private compileField(
    rows: Filterable,
    { field, operator, given, normalize }: FieldOperator,
    negated: boolean,
    path: string,
  ): Where {
    if (operator === 'compare') return this.compileComparison(rows, field, given, negated, path);
    const operand = this.readOperands(operator === 'isNull' ? boolean : field.type, given, path, normalize);
    return fieldWhere({ field, operator, operand }, negated);
  }

  /** Reads the value of an operator, or each of several. @throws ServiceError BAD_REQUEST */
  private readOperands(type: FieldType, given: unknown, path: string, normalize?: (text: string) => string): unknown {
    const read = (value: unknown) => {
      const operand = readOperand(type, value, path, this.context);
      return normalize && typeof operand === 'string' ? normalize(operand) : operand;
    };
    if (!Array.isArray(given)) return read(given);
    if (given.length > maxFilterValues) throw badRequest(messages.tooManyValues(maxFilterValues), path);
    return given.map(read);
  }

  /** Compiles a comparison with another column of the same row. */
  private compileComparison(
    rows: Filterable,
    compared: Compared,
    given: unknown,
    negated: boolean,
    path: string,
  ): Where {
    if (given === null) throw badRequest(messages.notNull, path);
    // GraphQL has read it by its type.
    const { is, field, times } = given as Comparison;
    const numbers = rows.columns.filter((column) => measureKind(rows, column) === 'Number');
    // REST has names of its own.
    const name = numbers.find((column) => column === field || snakeCase(column) === field);
    if (name === undefined) throw badRequest(`must be ${oneOf(numbers)}`, `${path}.field`);
    assertReadable(this.context.caller, rows.policies, name, `${path}.field`);
    const factor = times == null ? undefined : String(readOperand(decimal, times, `${path}.times`, this.context));
    const operand = { modelName: rows.model, name, times: factor };
    // Without the other number nothing is equal, less or greater, so that only complements hold.
    const isComplement = (is === 'ne') !== negated;
    const missing = isComplement && !apiField(rows, name).required ? [{ [name]: null }] : [];
    return anyOf([fieldWhere({ field: compared, operator: is, operand }, negated), ...missing]);
  }

  /** Compiles a condition on what is computed of the rows of a list. @param path its place */
  private compileMeasured(
    rows: Filterable,
    relation: FilterRelation,
    given: Filter,
    negated: boolean,
    path: Path,
  ): Compiled {
    const { where: filter, ...measures } = given;
    const where = filter == null ? undefined : this.compileRelated(relation.target, filter as Filter, false, path);
    if (filter == null) this.countRelation(path);
    const conditions = Object.entries(measures).flatMap(([name, of]) => {
      const place = [...path, name];
      if (of === null) throw badRequest(messages.notNull, place.join('.'));
      if (name === 'count') return this.measured(rows, relation, { measure: 'count', where }, of, negated, place);
      assertReadable(this.context.caller, relation.target.policies, name, place.join('.'));
      return Object.entries(of as Filter).flatMap(([computed, is]) => {
        const measure = { of: computed as 'sum', column: name };
        return this.measured(rows, relation, { measure, where }, is, negated, [...place, computed]);
      });
    });
    return allOf(conditions, negated);
  }

  /** Compiles the conditions on one measure of a list. */
  private measured(
    rows: Filterable,
    { relation, as, through }: FilterRelation,
    measured: Pick<MeasuredList, 'measure'> & { readonly where: Where | undefined },
    operators: unknown,
    negated: boolean,
    path: Path,
  ): Where[] {
    if (operators === null) throw badRequest(messages.notNull, path.join('.'));
    return Object.entries(operators as Filter).map(([operator, given]) => {
      const place = [...path, operator].join('.');
      this.countCondition(place);
      const condition = { field: figureField, operator: operator as AnyOperator, given };
      const is = this.compileField(rows, condition, negated, place);
      return figureWhere({ ...measured, relation, through, as }, is);
    });
  }

  private countNestedList(path: Path): void {
    if (this.relationDepth > 0 && ++this.nestedLists > filterLimits.nestedLists)
      throw badRequest(
        'is the second condition on a list within another relation; use conditions on the related rows themselves',
        path.join('.'),
      );
  }

  private countCondition(path: string): void {
    if (++this.conditions > filterLimits.conditions)
      throw badRequest(
        `is one of more than ${filterLimits.conditions} conditions; use the operator in for several values of one field`,
        path,
      );
  }

  private countRelation(path: Path): void {
    if (++this.relations > filterLimits.relations)
      throw badRequest(
        `is one of more than ${filterLimits.relations} conditions on related rows; combine those on the same rows`,
        path.join('.'),
      );
  }

  /** Compiles a condition on a computed filter. @param negated whether to compile the complement */
  private compileComputed({ where }: Computed, operator: Operator, operand: unknown, negated: boolean): Where {
    if (operator === 'isNull') return operand === negated ? {} : none;
    const given = Array.isArray(operand) ? operand : [operand];
    const isNegated = (operator === 'ne' || operator === 'notIn') !== negated;
    const matching = [true, false].filter((value) => given.includes(value) !== isNegated);
    return matching.length === 2 ? {} : anyOf(matching.map((value) => where(value, this.context)));
  }
}

/** `compare` compares numbers with others of their row. */
type AnyOperator = Operator | 'compare';

type Quantifier = 'some' | 'none' | 'every';
type Computed = Filterable['computed'][string];

/** What a number of a row is compared with: another one, by a factor. */
interface Comparison {
  readonly is: Operator;
  readonly field: string;
  readonly times?: number | null;
}

/** What is compared: a column, or a number that is computed. */
type Compared = Pick<ApiField, 'name' | 'required' | 'type'>;

/** An operator of a field with its value, and how texts are normalized. */
interface FieldOperator {
  readonly field: Compared;
  readonly operator: AnyOperator;
  readonly given: unknown;
  readonly normalize?: ((text: string) => string) | undefined;
}

/** The condition on the rows of a join table. */
const throughWhere = ({ to, isFiltered }: NonNullable<FilterRelation['through']>, rows: Where): Where =>
  matchesAll(rows) && !isFiltered ? {} : { [to]: { is: rows } };
