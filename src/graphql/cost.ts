import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import {
  type ExecutionArgs,
  type FieldNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { type ComplexityEstimatorArgs, getComplexity } from 'graphql-query-complexity';
import type { Plugin } from 'graphql-yoga';
import { badRequest, type ServiceError } from '../errors.ts';
import { findOversize } from '../http/size.ts';
import { getOrCreate, isApiField, isConnection, maxGroups, maxPageSize } from '../resource/index.ts';
import {
  type Cost,
  type DatabaseCost,
  explainCost,
  type Fragments,
  findDatabaseCosts,
  fragmentsOf,
  selectedFields,
  sumDatabaseCosts,
} from './database-costs.ts';
import { countCombinations } from './group-counts.ts';
import { RepeatedLists } from './repeated-lists.ts';

/** What running an operation takes of a request; without one, a part of the service says the same. */
export interface Incoming extends Pick<FastifyRequest, 'caller' | 'operation' | 'query' | 'budget'> {
  readonly server: Pick<FastifyRequest['server'], 'maxResponseBytes'>;
}

/** The request passed to Yoga, whose own context has a different `request`. */
export interface Served<Request extends Incoming = FastifyRequest> {
  readonly incoming: Request;
  /** Whether the data of the result may be a `JsonText`. */
  readonly takesJson: boolean;
}

/**
 * Maximum cost of a query, as a number of fields in its response: several times a page of 100 requests, each with its
 * people and 20 comments, and well below what would block the database.
 */
const costLimit = 200_000;

/** The cost from which a response takes many milliseconds to become JSON. */
const largeCost = 20_000;

/** The cost of a text without a short maximum length: it can be that many times as large as another field. */
const longTextCost = 10;

/** How many skipped rows cost 1, and the maximum number of rows that count. */
const skippedRows = 40;
const maxSkippedRows = 1_000_000;

/**
 * What a field of introspection counts: graphql-js executes all of them in one turn, in which nothing else runs. A
 * request may ask for the whole schema once, and not twice.
 */
const introspectionCost = 1.3;

/**
 * Counts the fields of a query's response: a field once for each row that can contain it. Groups are those of the whole
 * list, whatever the number of rows on its page.
 */
class FieldCounter {
  /** The aggregates of a list, which are estimated before the list and its filter. */
  private readonly aggregates = new Map<
    FieldNode,
    { readonly selected: ComplexityEstimatorArgs; readonly counted: number }
  >();

  /** Whether there are aggregates of the rows of a page that can have several groups each. */
  hasGroupsInRows = false;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Fragments,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {}

  count(selected: ComplexityEstimatorArgs): number {
    const { field, node, childComplexity } = selected;
    if (field.extensions.aggregates) {
      const counted = 1 + this.groupsOf(selected) * childComplexity;
      this.aggregates.set(node, { selected, counted });
      return counted;
    }
    const isList = isConnection(getNamedType(field.type));
    const below = isList ? [...selectedFields(node, this.fragments)] : [];
    const aggregates = below.flatMap((each) => this.aggregates.get(each) ?? []);
    const estimated = aggregates.reduce((sum, { counted }) => sum + counted, 0);
    const once = aggregates.reduce((sum, each) => sum + this.countFiltered(each.selected, selected), 0);
    return (
      costOfField(selected) +
      costOfOffset(selected) +
      rowsOf(this.schema, selected) * (childComplexity - estimated) +
      once
    );
  }

  private countFiltered(selected: ComplexityEstimatorArgs, list: ComplexityEstimatorArgs): number {
    // Groups that are added lie outside the filter.
    const groups = this.groupsOf(selected, selected.args['fill'] ? undefined : list.args['filter']);
    if (list.type.name !== 'Query' && groups > 1) this.hasGroupsInRows = true;
    return 1 + groups * selected.childComplexity;
  }

  /** The most groups that there can be. Without a key all rows are one group. */
  private groupsOf(selected: ComplexityEstimatorArgs, filter?: unknown): number {
    const keys = [...selectedFields(selected.node, this.fragments)].filter(({ name }) => name.value === 'key');
    if (keys.length === 0) return 1;
    const groupType = getNamedType(selected.field.type) as GraphQLObjectType;
    const { fragments, variables } = this;
    const { subtotals } = selected.args;
    const levels = Array.isArray(subtotals) ? subtotals.length + 1 : 1;
    const combinations = countCombinations(groupType, keys, { fragments, variables, filter });
    return Math.min(rowsOf(this.schema, selected), combinations * levels);
  }
}

/**
 * The cost of the rows that an `offset` skips. The database reads them, but no more than the largest companies have.
 */
const costOfOffset = ({ args }: ComplexityEstimatorArgs): number =>
  Math.floor(Math.min(Math.max(Number(args['offset'] ?? 0), 0), maxSkippedRows) / skippedRows);

function costOfField(selected: ComplexityEstimatorArgs): number {
  if (isIntrospectionType(selected.type)) return introspectionCost;
  const { type, extensions } = selected.field;
  // Of several values, each counts.
  if (extensions.usualSize !== undefined && isLeafType(getNamedType(type))) return extensions.usualSize;
  return isLongText(selected) ? longTextCost : 1;
}

/** Whether a field is a column of text with only the general limit of 20,000 characters. */
function isLongText({ field }: ComplexityEstimatorArgs): boolean {
  const { stored } = field.extensions;
  return stored !== undefined && !stored.list && isApiField(stored) && stored.type.isLong(stored);
}

/** Maximum number of rows of a field: its `first`; or, for a list without one, such as line items, a page. */
function rowsOf(schema: GraphQLSchema, { type, args, field }: ComplexityEstimatorArgs): number {
  const first: unknown = args['last'] ?? args['first'] ?? field.args.find(({ name }) => name === 'first')?.defaultValue;
  // A larger `first` is rejected by the list itself.
  if (typeof first === 'number') return Math.min(Math.max(first, 0), maxGroups);
  if (isIntrospectionType(getNamedType(type))) return getOrCreate(averages, schema, computeAverages)[field.name] ?? 1;
  // A page's rows are counted with the field that returns it.
  const isPage = isConnection(type) || getOrCreate(pageTypes, schema, findPageTypes).has(type.name);
  if (field.extensions.usualSize !== undefined) return field.extensions.usualSize;
  const hasRows = !isPage && isListType(getNullableType(field.type)) && isObjectType(getNamedType(field.type));
  return hasRows ? maxPageSize : 1;
}

/** The types of pages besides those of lists: what fields with a `first` return. */
const findPageTypes = (schema: GraphQLSchema): ReadonlySet<string> =>
  new Set(
    Object.values(schema.getTypeMap()).flatMap((type) =>
      isObjectType(type)
        ? Object.values(type.getFields())
            .filter(
              ({ args, type: paged }) =>
                !isListType(getNullableType(paged)) && args.some(({ name }) => name === 'first'),
            )
            .map(({ type: paged }) => getNamedType(paged).name)
        : [],
    ),
  );

const pageTypes = new WeakMap<GraphQLSchema, ReadonlySet<string>>();

/** Average number of rows of a field of introspection, so that all types together have about the right cost. */
function computeAverages(schema: GraphQLSchema): Readonly<Record<string, number>> {
  const types = Object.values(schema.getTypeMap());
  const fields = types.flatMap((type) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [],
  );
  const inputFields = types.flatMap((type) => (isInputObjectType(type) ? Object.values(type.getFields()) : []));
  const enumValues = types.flatMap((type) => (isEnumType(type) ? type.getValues() : []));
  return {
    types: types.length,
    directives: schema.getDirectives().length,
    fields: fields.length / types.length,
    inputFields: inputFields.length / types.length,
    enumValues: enumValues.length / types.length,
    possibleTypes: 0.1,
    interfaces: 0.1,
    args: fields.flatMap(({ args }) => args).length / fields.length,
    // About half of the types are wrapped in a list or non-null type.
    ofType: 0.5,
  };
}

const averages = new WeakMap<GraphQLSchema, Readonly<Record<string, number>>>();

/** The costs of operations without variables, as Yoga keeps the documents that it has parsed. */
const knownCosts = new WeakMap<OperationDefinitionNode, Cost>();

/** Counts what a query costs. @throws GraphQLError when that cannot be determined */
function costOf(args: ExecutionArgs): Cost {
  const operation = getOperationAST(args.document, args.operationName);
  if (!operation) return { fields: 0, hasGroupsInRows: false, databaseCosts: [], repeated: 0 };
  if (operation.variableDefinitions?.length) return countCost(args, operation);
  const cost = knownCosts.get(operation) ?? countCost(args, operation);
  knownCosts.set(operation, cost);
  return cost;
}

function countCost({ schema, document, variableValues }: ExecutionArgs, operation: OperationDefinitionNode): Cost {
  const fragments = fragmentsOf(document);
  const counter = new FieldCounter(schema, fragments, variableValues ?? {});
  const lists = new RepeatedLists(fragments);
  const databaseCosts: DatabaseCost[] = [];
  const counted = getComplexity({
    schema,
    query: { kind: Kind.DOCUMENT, definitions: [operation, ...fragments.values()] },
    variables: { ...variableValues },
    estimators: [
      (selected) => {
        // Once per field and not per row: one statement reads the lists of all rows, and each table at most once,
        // unless rows have the same related row.
        databaseCosts.push(...findDatabaseCosts(selected, fragments));
        lists.add(selected, rowsOf(schema, selected));
        return counter.count(selected);
      },
    ],
  });
  const { hasGroupsInRows } = counter;
  return { fields: Math.round(counted), hasGroupsInRows, databaseCosts, repeated: Math.round(lists.cost) };
}

/**
 * Counts what a query costs, before it reads anything.
 *
 * @returns with the error to send instead, where it could cost too much
 * @throws GraphQLError when that cannot be determined
 */
export function checkCost(args: ExecutionArgs): { cost: { counted: number; limit: number }; tooLarge?: ServiceError } {
  const cost = costOf(args);
  const { fields, databaseCosts, repeated } = cost;
  const counted = fields + sumDatabaseCosts(databaseCosts) + repeated;
  const reported = { counted, limit: costLimit };
  if (counted <= costLimit) return { cost: reported };
  const explained = explainCost(cost);
  const tooLarge = badRequest(`This query costs ${counted}, more than the limit of ${costLimit}: ${explained}`);
  return { cost: reported, tooLarge };
}

/** Whether a request asks what its operation costs, rather than to run it: `/graphql?cost=only`. */
export const asksForCost = ({ query }: Pick<Incoming, 'query'>): boolean =>
  (query as Readonly<Record<string, unknown>>)['cost'] === 'only';

/** Rejects a query that could cost too much, and reports the cost in `extensions`. */
export const costPlugin: Plugin<Served<Incoming>> = {
  // Other requests have their turn before a large response becomes JSON.
  async onExecutionResult({ result }) {
    // The extensions that `onExecute` sets; Yoga does not know their type.
    const extensions =
      result && 'extensions' in result ? (result.extensions as { cost?: { counted: number } }) : undefined;
    const counted = extensions?.cost?.counted;
    if (counted !== undefined && counted > largeCost) await setImmediate();
  },
  onExecute({ args, setResultAndStopExecution }) {
    try {
      const { cost, tooLarge } = checkCost(args);
      if (asksForCost(args.contextValue.incoming)) {
        const errors = tooLarge && { errors: [tooLarge] };
        return setResultAndStopExecution({ data: null, ...errors, extensions: { cost } });
      }
      if (tooLarge) setResultAndStopExecution({ errors: [tooLarge], extensions: { cost } });
      return {
        onExecuteDone({ result, setResult }) {
          if (!('data' in result)) return;
          const tooLarge = findOversize(result.data, args.contextValue.incoming);
          setResult({ ...(tooLarge ? { errors: [tooLarge] } : result), extensions: { ...result.extensions, cost } });
        },
      };
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return setResultAndStopExecution({ errors: [error] });
    }
  },
};
