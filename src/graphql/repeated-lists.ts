// The extra cost of nested lists that are read once but returned under several rows.
import { type FieldNode, getNamedType, getNullableType, isCompositeType, isListType } from 'graphql';
import type { ComplexityEstimatorArgs } from 'graphql-query-complexity';
import { isConnection } from '../resource/index.ts';
import { computePageCost, type Fragments, selectedFields } from './database-costs.ts';

/** The costs of the lists below a field. */
interface Below {
  /** Lists of different rows, which together are read at most once. */
  readonly apart: number;
  /** Lists of rows that may be the same: read once, and read for each row above. */
  readonly once: number;
  readonly repeated: number;
}

/**
 * Adds up what lists cost in addition where the same rows are read several times: below a relation to one row, such as
 * the building of each request, or a list through a join table, such as the watchers of each. Fields are added from the
 * leaves on.
 */
export class RepeatedLists {
  /** What they cost. */
  cost = 0;
  private readonly below = new Map<FieldNode, Below>();

  constructor(private readonly fragments: Fragments) {}

  /** @param rows the number of rows that a field can have */
  add(selected: ComplexityEstimatorArgs, rows: number): void {
    const { type, field, node } = selected;
    const inner = [...selectedFields(node, this.fragments)].flatMap((each) => this.below.get(each) ?? []);
    const sum = (part: keyof Below) => inner.reduce((total, each) => total + each[part], 0);
    const isList = isConnection(getNamedType(field.type));
    const [apart, once, repeated] = [sum('apart'), sum('once'), sum('repeated') * rows];
    // Of the lists inside rows, only those through a join table have no filter.
    const isShared =
      isInsideRow(selected) && (isList ? field.args.every(({ name }) => name !== 'filter') : isOne(field));
    const own = isList && isInsideRow(selected) ? computePageCost(selected) : 0;
    this.below.set(
      node,
      isShared
        ? { apart: own, once: once + apart, repeated: repeated + apart }
        : { apart: apart + own, once, repeated },
    );
    if (rootTypes.has(type.name)) this.cost += repeated - once;
  }
}

const rootTypes = new Set(['Query', 'Mutation', 'Subscription']);

/** Whether a field is one of a row. */
const isInsideRow = ({ type }: ComplexityEstimatorArgs): boolean => type.extensions['model'] !== undefined;

const isOne = ({ type }: ComplexityEstimatorArgs['field']): boolean =>
  isCompositeType(getNamedType(type)) && !isListType(getNullableType(type));
