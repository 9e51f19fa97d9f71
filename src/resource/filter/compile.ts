// Compiles filters to Prisma's conditions.
import { accessError, permits } from '../../auth/access.ts';
import type { Context } from '../../context.ts';
import { badRequest, ServiceError } from '../../errors.ts';
import { boolean, type Operator } from '../../fields/index.ts';
import { messages } from '../../input/index.ts';
import { assertReadable } from '../access/hidden-columns.ts';
import { and, apiField, matchesAll, type Where } from '../definition/model.ts';
import type { Filterable, FilterRelation } from './filterable.ts';
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

/** @throws ServiceError INSUFFICIENT_SCOPE @param path the part of a filter or sort that crosses the relation */
export function assertMayCross({ scope }: FilterRelation, { caller }: Context, path: string): void {
  if (scope === undefined || permits(caller, scope)) return;
  const { code, reason } = accessError(caller, scope);
  throw new ServiceError(code, reason, undefined, path);
}

type Path = readonly string[];

/** What a part of a filter compiles to: nothing where it has no condition, so that it is left out, negated or not. */
type Compiled = Where | undefined;

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
    if (relation) return this.compileRelation(relation, given, negated, path);
    const conditions = Object.entries(given).map(([operator, operand]) =>
      this.compileCondition(rows, name, operator as Operator, operand, negated, [...path, operator]),
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
  private compileRelation(relation: FilterRelation, given: Filter, negated: boolean, path: Path): Compiled {
    assertMayCross(relation, this.context, path.join('.'));
    if (!relation.isList) return this.compileToOne(relation, given, negated, path);
    const parts = Object.entries(given).map(([quantifier, filter]) => {
      const inner = [...path, quantifier];
      if (filter === null) throw badRequest(messages.notNull, inner.join('.'));
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
    if (this.relationDepth > 0 && ++this.nestedLists > filterLimits.nestedLists)
      throw badRequest(
        'is the second condition on a list within another relation; use conditions on the related rows themselves',
        path.join('.'),
      );
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
    if (++this.relations > filterLimits.relations)
      throw badRequest(
        `is one of more than ${filterLimits.relations} conditions on related rows; combine those on the same rows`,
        path.join('.'),
      );
    this.relationDepth += 1;
    const matching = this.compileNested(rows, filter, negated, path);
    this.relationDepth -= 1;
    return matching;
  }

  /** Compiles one operator of a field or a computed filter. */
  private compileCondition(
    rows: Filterable,
    name: string,
    operator: Operator,
    given: unknown,
    negated: boolean,
    steps: Path,
  ): Where {
    const path = steps.join('.');
    if (++this.conditions > filterLimits.conditions)
      throw badRequest(
        `is one of more than ${filterLimits.conditions} conditions; use the operator in for several values of one field`,
        path,
      );
    const { policies, normalized, computed: filters } = rows;
    assertReadable(this.context.caller, policies, name, path);
    const computed = filters[name];
    const { field = computed ? undefined : apiField(rows, name), normalize } = normalized[name] ?? {};
    const type = !field || operator === 'isNull' ? boolean : field.type;
    const read = (value: unknown) => {
      const operand = readOperand(type, value, path, this.context);
      return normalize && typeof operand === 'string' ? normalize(operand) : operand;
    };
    if (Array.isArray(given) && given.length > maxFilterValues)
      throw badRequest(messages.tooManyValues(maxFilterValues), path);
    const operand = Array.isArray(given) ? given.map(read) : read(given);
    if (field) return fieldWhere({ field, operator, operand }, negated);
    return computed ? this.compileComputed(computed, operator, operand, negated) : none;
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

/** Combines parts that must all hold, or negated parts; nothing where none has a condition. */
function allOf(parts: readonly Compiled[], negated: boolean): Compiled {
  const conditions = parts.filter((part) => part !== undefined);
  if (conditions.length === 0) return undefined;
  return negated ? anyOf(conditions) : and(conditions);
}

/** Combines parts of which one must hold, or negated parts. A part without a condition holds, and so do all with it. */
function someOf(parts: readonly Compiled[], negated: boolean): Compiled {
  const conditions = parts.filter((part) => part !== undefined);
  if (conditions.length < parts.length) return undefined;
  return negated ? and(conditions) : anyOf(conditions);
}

type Quantifier = 'some' | 'none' | 'every';
type Computed = Filterable['computed'][string];

/** The condition on the rows of a join table. */
const throughWhere = ({ to, isFiltered }: NonNullable<FilterRelation['through']>, rows: Where): Where =>
  matchesAll(rows) && !isFiltered ? {} : { [to]: { is: rows } };
