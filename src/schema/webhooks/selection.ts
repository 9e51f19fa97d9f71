import {
  type DocumentNode,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Row } from '../../resource/index.ts';
import type { LoggedType } from '../changes/change-view.ts';
import { readOnce } from './read-once.ts';

/** The most characters and levels of a selection. */
export const maxSelectionLength = 4000;
const maxDepth = 5;

/**
 * Reads the fields of a row that a webhook is sent: a selection as in a query, without lists.
 *
 * @param selection such as `{ title assignee { fullName } }`
 * @returns the query for the row with the id `$id`, or what is wrong with the selection
 */
export const readSelection = readOnce(parseSelection);

function parseSelection(
  selection: string,
  { field }: LoggedType,
  schema: GraphQLSchema,
): { readonly document: DocumentNode } | { readonly problem: string } {
  const list = field === undefined ? undefined : schema.getQueryType()?.getFields()[field];
  if (!isConnection(list?.type)) return { problem: 'is not supported for this resource' };
  if (selection.length > maxSelectionLength) return { problem: `must be at most ${maxSelectionLength} characters` };
  const text = selection.trim();
  if (!/^\{[^]*\}$/.test(text)) return { problem: 'must be fields in braces, such as { id }' };
  let document: DocumentNode;
  try {
    document = parse(`query ($id: ID!) { rows: ${field}(first: 1, filter: { id: { eq: $id } }) { nodes ${text} } }`, {
      maxTokens: 500,
      noLocation: true,
    });
  } catch (error) {
    // The parser throws only GraphQLErrors.
    return { problem: `is not a valid selection: ${(error as Error).message}` };
  }
  const [definition, ...others] = document.definitions;
  if (
    others.length > 0 ||
    definition?.kind !== Kind.OPERATION_DEFINITION ||
    definition.selectionSet.selections.length > 1
  )
    return { problem: 'must be a single selection' };
  const [invalid] = validate(schema, document);
  return invalid ? { problem: invalid.message } : check(document, schema);
}

/**
 * Selects from a deleted row: its selected columns, and null for everything else, which can no longer be read.
 *
 * @param document as `readSelection` returns it
 * @param columns the row's columns as they were, by GraphQL's names
 */
export function selectColumns(document: DocumentNode, columns: Row): Row {
  const selected: Row = {};
  let depth = 0;
  visit(document, {
    Field: {
      enter({ alias, name }) {
        depth += 1;
        // Below the list and its nodes.
        if (depth === 3) selected[(alias ?? name).value] = columns[name.value] ?? null;
      },
      leave: () => {
        depth -= 1;
      },
    },
  });
  return selected;
}

const isConnection = (type: GraphQLOutputType | null | undefined): boolean => {
  const named = getNamedType(type);
  return isObjectType(named) && named.extensions.isConnection === true;
};

/** Refuses what could make a message large: lists, fragments and deep selections. */
function check(document: DocumentNode, schema: GraphQLSchema): { document: DocumentNode } | { problem: string } {
  const types = new TypeInfo(schema);
  let problem: string | undefined;
  let depth = 0;
  const visitor = visitWithTypeInfo(types, {
    Field: {
      enter({ name, directives = [] }) {
        depth += 1;
        if (depth > 1 && isConnection(types.getType())) problem ??= `${name.value}: lists are not supported`;
        if (directives.length > 0) problem ??= `${name.value}: directives are not supported`;
        // Below the list and its nodes.
        if (depth > maxDepth + 2) problem ??= `is nested more than ${maxDepth} levels deep`;
      },
      leave: () => {
        depth -= 1;
      },
    },
    InlineFragment: () => {
      problem ??= 'must not have fragments';
    },
  });
  visit(document, visitor);
  return problem === undefined ? { document } : { problem };
}
