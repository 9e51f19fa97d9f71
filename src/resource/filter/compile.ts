// Compiles filters to Prisma's conditions.
import { accessError, permits } from '../../auth/access.ts';
import type { Context } from '../../context.ts';
import { badRequest, ServiceError } from '../../errors.ts';
import { and, columnFacts, matchesAll, type Where } from '../model.ts';
import type { Filterable, FilterRelation } from './filterable.ts';
import { anyOf, columnWhere, maxFilterValues, none, type Operator, readOperand } from './operators.ts';

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
  /** Conditions on a list of rows that are related to a related row: they are read for each of those. */
  nestedLists: 1,
} as const;

/**
 * Compiles a list's filter. Conditions on related rows require the read scope of those rows, and consider only those
 * that the caller can access.
 *
 * @throws ServiceError BAD_REQUEST naming the wrong part, or INSUFFICIENT_SCOPE
 */
export function filterWhere(rows: Filterable, filter: Filter | null | undefined, context: Context): Where {
  return filter ? new FilterCompiler(context).compile(rows, filter, false, []) : {};
}

/** @throws ServiceError INSUFFICIENT_SCOPE @param path the part of a filter or sort that crosses the relation */
export function assertMayCross({ scope }: FilterRelation, { caller }: Context, path: string): void {
  if (scope === undefined || permits(caller, scope)) return;
  const { code, reason } = accessError(caller, scope);
  throw new ServiceError(code, reason, undefined, path);
}

type Path = readonly string[];

/**
 * Compiles one filter. A negated filter is its complement: each row matches exactly one of the two, as do the rows of
 * each part. Negations are therefore moved inwards, to single conditions.
 */
class FilterCompiler {
  private conditions = 0;
  private crossed = 0;
  private nestedLists = 0;
  /** The number of relations that lead to the filter that is compiled. */
  private within = 0;

  constructor(private readonly context: Context) {}

  compile(rows: Filterable, filter: Filter, negated: boolean, path: Path): Where {
    const parts = Object.entries(filter).map(([name, value]) => this.part(rows, name, value, negated, [...path, name]));
    return negated ? anyOf(parts) : and(parts);
  }

  private part(rows: Filterable, name: string, value: unknown, negated: boolean, path: Path): Where {
    if (value === null) throw badRequest('must not be null', path.join('.'));
    const given = value as Filter;
    if (name === 'not') return this.deeper(rows, given, !negated, path);
    if (name === 'and' || name === 'or') {
      const parts = (value as Filter[]).map((each, n) => this.deeper(rows, each, negated, [...path, String(n)]));
      return (name === 'and') === negated ? anyOf(parts) : and(parts);
    }
    const relation = rows.relations[name];
    if (relation) return this.related(relation, given, negated, path);
    const conditions = Object.entries(given).map(([operator, operand]) =>
      this.condition(rows, name, operator as Operator, operand, negated, [...path, operator]),
    );
    return negated ? anyOf(conditions) : and(conditions);
  }

  private deeper(rows: Filterable, filter: Filter, negated: boolean, path: Path): Where {
    const levels = path.filter((step) => !/^\d+$/.test(step)).length;
    if (levels > filterLimits.depth)
      throw badRequest(
        `is nested more than ${filterLimits.depth} levels deep; use fewer of and, or, not and relations`,
        'filter',
      );
    return this.compile(rows, filter, negated, path);
  }

  private related(relation: FilterRelation, given: Filter, negated: boolean, path: Path): Where {
    assertMayCross(relation, this.context, path.join('.'));
    if (!relation.isList) return this.one(relation, given, negated, path);
    const parts = Object.entries(given).map(([quantifier, filter]) => {
      const inner = [...path, quantifier];
      if (filter === null) throw badRequest('must not be null', inner.join('.'));
      return this.many(relation, quantifier as Quantifier, filter as Filter, negated, inner);
    });
    return negated ? anyOf(parts) : and(parts);
  }

  /** A condition on the row that a reference names. Without that row the condition does not hold. */
  private one(relation: FilterRelation, filter: Filter, negated: boolean, path: Path): Where {
    const { relation: name, reference, visible, target } = relation;
    const matching = this.across(target, filter, negated, path);
    const accessible = visible(this.context);
    const unset = reference === undefined ? none : { [reference]: null };
    const isRelated = (inner: Where) =>
      inner === none ? none : matchesAll(inner) ? undefined : { [name]: { is: inner } };
    if (!negated) {
      const inner = matching === none ? none : and([accessible, matching]);
      return isRelated(inner) ?? (reference === undefined ? {} : { [reference]: { not: null } });
    }
    const inaccessible = matchesAll(accessible) ? none : { NOT: accessible };
    return anyOf([unset, isRelated(anyOf([inaccessible, matching])) ?? {}]);
  }

  /** A condition on the rows of a list. */
  private many(relation: FilterRelation, quantifier: Quantifier, filter: Filter, negated: boolean, path: Path): Where {
    const { relation: name, visible, target, through } = relation;
    if (this.within > 0 && ++this.nestedLists > filterLimits.nestedLists)
      throw badRequest(
        'is the second condition on a list within another relation; use conditions on the related rows themselves',
        path.join('.'),
      );
    // `every` holds if no row fails to match, so its filter is negated.
    const matching = this.across(target, filter, quantifier === 'every', path);
    const exists = (quantifier === 'some') !== negated;
    if (matching === none) return exists ? none : {};
    const accessible = and([visible(this.context), matching]);
    const inner = through ? throughWhere(through, accessible) : accessible;
    return { [name]: { [exists ? 'some' : 'none']: inner } };
  }

  /** The filter of related rows. */
  private across(rows: Filterable, filter: Filter, negated: boolean, path: Path): Where {
    if (++this.crossed > filterLimits.relations)
      throw badRequest(
        `is one of more than ${filterLimits.relations} conditions on related rows; combine those on the same rows`,
        path.join('.'),
      );
    this.within += 1;
    const matching = this.deeper(rows, filter, negated, path);
    this.within -= 1;
    return matching;
  }

  private condition(
    { model, normalized, computed }: Filterable,
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
    const { column = name, normalize } = normalized[name] ?? {};
    const isComputed = computed[name] !== undefined;
    const type = isComputed || operator === 'isNull' ? 'Boolean' : columnFacts(model, column).type;
    const read = (value: unknown) => {
      const operand = readOperand(type, value, path, this.context);
      return normalize && typeof operand === 'string' ? normalize(operand) : operand;
    };
    if (Array.isArray(given) && given.length > maxFilterValues)
      throw badRequest(`must have at most ${maxFilterValues} values`, path);
    const operand = Array.isArray(given) ? given.map(read) : read(given);
    if (isComputed) return this.computed(computed[name] as Computed, operator, operand, negated);
    return columnWhere({ model, column, operator, operand }, negated);
  }

  private computed({ where }: Computed, operator: Operator, operand: unknown, negated: boolean): Where {
    if (operator === 'isNull') return operand === negated ? {} : none;
    const given = Array.isArray(operand) ? operand : [operand];
    const isNegated = (operator === 'ne' || operator === 'notIn') !== negated;
    const matching = [true, false].filter((value) => given.includes(value) !== isNegated);
    return matching.length === 2 ? {} : anyOf(matching.map((value) => where(value, this.context)));
  }
}

type Quantifier = 'some' | 'none' | 'every';
type Computed = Filterable['computed'][string];

/** The condition on the rows of a join table. */
const throughWhere = ({ to, where }: NonNullable<FilterRelation['through']>, rows: Where): Where =>
  and([where, matchesAll(rows) ? {} : { [to]: { is: rows } }]);
