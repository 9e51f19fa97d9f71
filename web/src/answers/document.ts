// The text of a saved query: what it asks, which variables it takes, and where a part of its result comes from.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  type TypeNode,
  valueFromASTUntyped,
} from 'graphql';

/** A variable of a query. */
export interface Variable {
  readonly name: string;
  /** The type of a value, or of each value of a list. */
  readonly type: string;
  readonly isList: boolean;
  readonly isRequired: boolean;
  /** Undefined without one. */
  readonly defaultValue: unknown;
}

/** A query that can be run and drawn. */
export interface ReadQuery {
  /** The operation to run; undefined if it has no name. */
  readonly name: string | undefined;
  readonly variables: readonly Variable[];
  readonly selection: SelectionSetNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** Reads the first query of a text; undefined if it has none, such as a mutation, which no page runs by itself. */
export function readQuery(text: string): ReadQuery | undefined {
  const { definitions } = parse(text, { noLocation: true });
  const operation = definitions.find(
    (each): each is OperationDefinitionNode =>
      each.kind === Kind.OPERATION_DEFINITION && each.operation === OperationTypeNode.QUERY,
  );
  if (!operation) return undefined;
  const fragments = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  return {
    name: operation.name?.value,
    variables: (operation.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => ({
      name: variable.name.value,
      ...typeOf(type),
      isRequired: type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined,
      defaultValue: defaultValue && valueFromASTUntyped(defaultValue),
    })),
    selection: operation.selectionSet,
    fragments: new Map(fragments.map((each) => [each.name.value, each])),
  };
}

function typeOf(node: TypeNode): Pick<Variable, 'type' | 'isList'> {
  if (node.kind === Kind.NAMED_TYPE) return { type: node.name.value, isList: false };
  return { ...typeOf(node.type), ...(node.kind === Kind.LIST_TYPE && { isList: true }) };
}

/** The field that is shown under a name in the response. */
function fieldNamed(
  { selections }: SelectionSetNode,
  name: string,
  fragments: ReadQuery['fragments'],
): FieldNode | undefined {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      if ((selection.alias ?? selection.name).value === name) return selection;
      continue;
    }
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection.selectionSet
        : fragments.get(selection.name.value)?.selectionSet;
    const found = inner && fieldNamed(inner, name, fragments);
    if (found) return found;
  }
  return undefined;
}

/** The fields from the outside to a place in the response, such as `open.aggregates`; undefined if it has none. */
export function fieldsTo(
  { fragments, ...query }: Pick<ReadQuery, 'selection' | 'fragments'>,
  place: string,
): readonly FieldNode[] | undefined {
  const found: FieldNode[] = [];
  let selection: SelectionSetNode | undefined = query.selection;
  for (const name of place.split('.')) {
    const field: FieldNode | undefined = selection && fieldNamed(selection, name, fragments);
    if (!field) return undefined;
    found.push(field);
    selection = field.selectionSet;
  }
  return found;
}

/** The arguments of a field, with the values of variables. */
export function argumentsOf(field: FieldNode, given: Readonly<Record<string, unknown>>) {
  const entries = (field.arguments ?? []).map(
    ({ name, value }) => [name.value, valueFromASTUntyped(value, given)] as const,
  );
  return new Map(entries.filter(([, value]) => value !== undefined && value !== null));
}
