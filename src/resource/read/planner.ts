// Makes plans of operations. What a plan cannot read is found here, before anything is read: such operations are
// executed by graphql-js.
import { collectFields, collectSubFields } from '@graphql-tools/utils';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  visit,
} from 'graphql';
import type { Access } from '../../auth/access.ts';
import { maxMembers } from '../../database/read/json.ts';
import { isApiField } from '../../database/read/models.ts';
import type { EnumSpelling } from '../../fields/index.ts';
import { isHiddenFromSome } from '../access/hidden-columns.ts';
import type { Row } from '../definition/model.ts';
import type { Policies } from '../definition/policy.ts';
import type {
  Arguments,
  ColumnPlan,
  KeyedName,
  ListPlan,
  MemberPlan,
  PageMember,
  PlannedRead,
  ReadPlan,
  RowPlan,
} from './plan.ts';

/** The plans of the root fields of an operation, in order. */
export type OperationPlan = readonly ReadPlan[];

/** How many plans of one operation are kept: it has another for other values of its conditions. */
const maxPlans = 16;

/** The plans of an operation, by the values of its conditions; null where graphql-js executes it. */
interface KnownPlans {
  /** The variables of `@include` and `@skip`. */
  readonly conditions: readonly string[];
  readonly plans: Map<string, OperationPlan | null>;
}

/** Makes the plans of one schema, once for each document. */
export class Planner {
  private readonly known = new WeakMap<OperationDefinitionNode, KnownPlans>();

  /**
   * @param reads the root fields whose rows a plan can read
   * @param spelling how the schema spells enums
   */
  constructor(
    readonly schema: GraphQLSchema,
    private readonly reads: ReadonlyMap<string, PlannedRead>,
    private readonly spelling: EnumSpelling,
  ) {}

  /**
   * Plans an operation that passed validation.
   *
   * @returns undefined where graphql-js executes it
   */
  planOf(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Row>,
  ): OperationPlan | undefined {
    if (operation.operation !== OperationTypeNode.QUERY) return undefined;
    let known = this.known.get(operation);
    if (!known) {
      known = { conditions: conditionsOf(document), plans: new Map() };
      this.known.set(operation, known);
    }
    const { conditions, plans } = known;
    const key = conditions.map((name) => Number(variables[name] === true)).join('');
    const found = plans.get(key);
    if (found !== undefined) return found ?? undefined;
    const plan = this.make(document, operation, variables);
    if (plans.size >= maxPlans) plans.clear();
    plans.set(key, plan ?? null);
    return plan;
  }

  private make(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Row>,
  ): OperationPlan | undefined {
    const { schema } = this;
    const queryType = schema.getQueryType();
    if (!queryType) return undefined;
    const fragments = Object.fromEntries(
      document.definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
      ),
    );
    const { fields } = collectFields(schema, fragments, variables, queryType, operation.selectionSet);
    const hasConditions = conditionalNodes(document);
    return all(
      [...fields].map(([key, nodes]) => {
        const name = nodes[0]?.name.value ?? '';
        const [read, field] = [this.reads.get(name), queryType.getFields()[name]];
        if (!read || !field) return undefined;
        const reader = new SelectionReader(schema, fragments, variables, this.spelling);
        const plan = reader.plan(key, nodes, read, field);
        return plan && { ...plan, isPlain: plan.isPlain && !hasConditions && fields.size === 1 && nodes.length === 1 };
      }),
    );
  }
}

/** The values, if there are all. */
function all<Value>(values: readonly (Value | undefined)[]): Value[] | undefined {
  const found = values.filter((value) => value !== undefined);
  return found.length === values.length ? found : undefined;
}

/** Whether a document has directives, all of which are conditions. */
function conditionalNodes(document: DocumentNode): boolean {
  let found = false;
  visit(document, { Directive: () => void (found = true) });
  return found;
}

/** The variables that decide what a document selects. */
function conditionsOf(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: (directive) => visit(directive, { Variable: ({ name }) => void names.add(name.value) }) && undefined,
  });
  return [...names];
}

/** The arguments of a field. Those without variables are read once. */
function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Arguments {
  let hasVariables = false;
  for (const argument of node.arguments ?? []) visit(argument, { Variable: () => void (hasVariables = true) });
  if (hasVariables) return (variables) => getArgumentValues(field, node, variables);
  const values = getArgumentValues(field, node);
  return () => values;
}

/** The column that a field shows, if PostgreSQL can write its values as clients get them. */
function shownColumn(field: GraphQLField<unknown, unknown>): string | undefined {
  const { stored, exposes } = field.extensions;
  if (!stored || !isApiField(stored) || exposes !== stored.name) return undefined;
  const { shownSql, name } = stored.type;
  return shownSql && getNamedType(field.type).name === name ? stored.name : undefined;
}

function objectOf(field: GraphQLField<unknown, unknown> | undefined): GraphQLObjectType | undefined {
  const type = getNamedType(field?.type);
  return isObjectType(type) ? type : undefined;
}

/** Plans what is selected of a root field. Its methods return undefined for what cannot be planned. */
class SelectionReader {
  private readonly lists: Pick<ListPlan, 'listed' | 'arguments'>[] = [];
  private readonly accesses = new Set<Access>();
  private readonly policies = new Set<Policies>();
  private isPlain = true;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Record<string, FragmentDefinitionNode>,
    private readonly variables: Readonly<Row>,
    private readonly spelling: EnumSpelling,
  ) {}

  plan(
    key: string,
    nodes: readonly FieldNode[],
    read: PlannedRead,
    field: GraphQLField<unknown, unknown>,
  ): ReadPlan | undefined {
    const [node] = nodes;
    const type = objectOf(field);
    if (!node || !type) return undefined;
    const { lists } = this;
    const found = 'page' in read.source ? this.pageOf(type, nodes) : this.rowAt(type, nodes);
    if (!found) return undefined;
    const required = { accesses: [...this.accesses], policies: [...this.policies] };
    return {
      key,
      nodes,
      read,
      arguments: argumentsOf(field, node),
      ...found,
      lists,
      ...required,
      isPlain: this.isPlain,
    };
  }

  private rowAt(type: GraphQLObjectType, nodes: readonly FieldNode[]): Pick<ReadPlan, 'page' | 'row'> | undefined {
    this.isPlain = false;
    const row = this.rowOf(type, nodes);
    return row && { page: undefined, row };
  }

  /** What is selected of a page: its rows, as nodes or in edges. */
  private pageOf(type: GraphQLObjectType, nodes: readonly FieldNode[]): Pick<ReadPlan, 'page' | 'row'> | undefined {
    const rows: RowPlan[] = [];
    const page = all(
      this.below(type, nodes).map(([key, name, selected]): PageMember | undefined => {
        const inner = objectOf(type.getFields()[name]);
        if (name === '__typename') return { key, name, text: type.name };
        if (name === 'totalCount') return { key, name };
        if (!inner) return undefined;
        if (name === 'pageInfo' || name === 'matches') return { key, name, members: this.namesOf(inner, selected) };
        if (name === 'edges') {
          this.isPlain = false;
          const members = this.below(inner, selected);
          const [node, ...others] = members.filter(([, each]) => each === 'node');
          const row = node && this.rowIn(inner, 'node', node[2]);
          if (others.length > 0 || (node && !row)) return undefined;
          if (row) rows.push(row);
          return { key, name, text: inner.name, members: members.map(([each, of]) => ({ key: each, name: of })) };
        }
        const row = name === 'nodes' ? this.rowIn(type, name, selected) : undefined;
        if (!row || name !== 'nodes') return undefined;
        rows.push(row);
        return { key, name };
      }),
    );
    return page && rows.length <= 1 ? { page, row: rows[0] } : undefined;
  }

  private rowIn(type: GraphQLObjectType, field: string, nodes: readonly FieldNode[]): RowPlan | undefined {
    const row = objectOf(type.getFields()[field]);
    return row && this.rowOf(row, nodes);
  }

  private namesOf(type: GraphQLObjectType, nodes: readonly FieldNode[]): KeyedName[] {
    return this.below(type, nodes).map(([key, name]) => ({ key, name }));
  }

  private rowOf(type: GraphQLObjectType, nodes: readonly FieldNode[]): RowPlan | undefined {
    const selected = this.below(type, nodes);
    if (selected.length > maxMembers) return undefined;
    return all(selected.map(([key, name, inner]) => this.memberOf(type, key, name, inner)));
  }

  private memberOf(
    type: GraphQLObjectType,
    key: string,
    name: string,
    nodes: readonly FieldNode[],
  ): MemberPlan | undefined {
    const field = type.getFields()[name];
    if (!type.extensions.model) return undefined;
    if (name === '__typename') return { key, text: type.name };
    if (!field) return undefined;
    const { access, relation, listed } = field.extensions;
    if (access) this.accesses.add(access);
    if (listed) {
      const list = this.listOf(field, nodes, listed);
      return list && { key, list };
    }
    const target = objectOf(field);
    if (!relation || !target || field.args.length > 0) return this.columnOf(type, field, key);
    const row = this.rowOf(target, nodes);
    if (!row) return undefined;
    if (!isListType(getNullableType(field.type))) return { key, relation, row };
    this.isPlain = false;
    return target.extensions.isOwned ? { key, relation, items: row } : undefined;
  }

  private columnOf(
    type: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    key: string,
  ): ColumnPlan | undefined {
    const { policies } = type.extensions;
    const leaf = getNamedType(field.type);
    const column = shownColumn(field);
    if (column === undefined || !isLeafType(leaf)) return undefined;
    const serialize = (value: unknown) => leaf.serialize(value);
    const hiddenBy = policies && isHiddenFromSome(policies, column) ? policies : undefined;
    if (hiddenBy) this.policies.add(hiddenBy);
    const isList = isListType(getNullableType(field.type));
    // The values of a list are arrays.
    const show: ColumnPlan['show'] = isList ? (values) => (values as unknown[]).map(serialize) : serialize;
    return { key, column, spelling: this.spelling, hiddenBy, valueIn: (row) => row[column], show };
  }

  private listOf(
    field: GraphQLField<unknown, unknown>,
    nodes: readonly FieldNode[],
    listed: ListPlan['listed'],
  ): ListPlan | undefined {
    const [node] = nodes;
    const type = objectOf(field);
    if (!node || !type) return undefined;
    const list = { listed, arguments: argumentsOf(field, node), place: this.lists.length };
    this.lists.push(list);
    const members = all(
      this.below(type, nodes).map(([key, name, selected]): ListPlan['members'][number] | undefined => {
        if (name === '__typename') return { key, text: type.name };
        if (name === 'totalCount') {
          this.isPlain = false;
          return { key, total: true };
        }
        const row = name === 'nodes' ? this.rowIn(type, name, selected) : undefined;
        return row && { key, nodes: row };
      }),
    );
    return members && { ...list, members };
  }

  /** The fields that are selected of a type: key, name and nodes. Those of the same key are one. */
  private below(
    type: GraphQLObjectType,
    nodes: readonly FieldNode[],
  ): [key: string, name: string, nodes: readonly FieldNode[]][] {
    const { fields } = collectSubFields(this.schema, this.fragments, this.variables, type, [...nodes]);
    return [...fields].map(([key, found]) => {
      if (found.length > 1) this.isPlain = false;
      return [key, found[0]?.name.value ?? '', found];
    });
  }
}
