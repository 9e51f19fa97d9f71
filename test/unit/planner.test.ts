// When the plan of an operation is made.
import { expect, test } from '@jest/globals';
import { getOperationAST, type OperationDefinitionNode, parse } from 'graphql';
import { Planner } from '../../src/resource/index.ts';
import { api } from '../../src/schema/index.ts';

const planner = new Planner(api.schema, api.reads, 'member');

/** Plans a query as often as it is asked to, always the same document. */
function plansOf(text: string) {
  const document = parse(text);
  const operation = getOperationAST(document) as OperationDefinitionNode;
  return (variables: Record<string, unknown> = {}) => planner.planOf(document, operation, variables);
}

test('a plan is made once a document', () => {
  const plan = plansOf('query ($n: Int) { paints(first: $n) { nodes { id } } }');
  expect(plan({ n: 1 })).toHaveLength(1);
  expect(plan({ n: 2 })).toBe(plan({ n: 1 }));
  expect(plansOf('query ($n: Int) { paints(first: $n) { nodes { id } } }')({ n: 1 })).not.toBe(plan({ n: 1 }));
});

test('and once for the values of its conditions', () => {
  const plan = plansOf('query ($x: Boolean!) { paints { nodes { id name @include(if: $x) } } }');
  const [withName, without] = [plan({ x: true }), plan({ x: false })];
  expect(withName?.[0]?.row).toMatchObject([{ key: 'id' }, { key: 'name' }]);
  expect(without?.[0]?.row).toMatchObject([{ key: 'id' }]);
  expect([plan({ x: true }), plan({ x: false })]).toEqual([withName, without]);
  expect(plan({ x: true })).toBe(withName);
});

test('arguments without variables are read once', () => {
  const [constant] = plansOf('{ paints(first: 3) { nodes { id } } }')() ?? [];
  expect(constant?.arguments({})).toBe(constant?.arguments({}));
  expect(constant?.arguments({})).toMatchObject({ first: 3 });
  const [given] = plansOf('query ($n: Int) { paints(first: $n) { nodes { id } } }')() ?? [];
  expect(given?.arguments({ n: 4 })).toMatchObject({ first: 4 });
});

test.each([
  ['{ __schema { types { name } } }'],
  ['{ paints { nodes { id } } __typename }'],
  ['{ paints { nodes { etag } } }'],
  ['mutation { deletePaint(id: "x") { id } }'],
  ['subscription { paints { row { id } } }'],
])('%s has no plan', (text) => {
  expect(plansOf(text)()).toBeUndefined();
});
