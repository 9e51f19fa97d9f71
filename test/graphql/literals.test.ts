import { expect, test } from '@jest/globals';
import { isLeafType, parse, type ValidationRule, ValuesOfCorrectTypeRule, validate } from 'graphql';
import { createInputCheck } from '../../src/graphql/input.ts';
import { graphqlSchema as schema } from '../support/api.ts';

const { withLiterals } = createInputCheck(schema);
const isValid = (query: string, rules: ValidationRule[]) => validate(schema, parse(query), rules).length === 0;

const literals = ['1', '-1', '1.0', '1.5', '2147483648', '"1"', '"x"', '""', 'true', 'PENDING', 'x', '{}', '{a: 1}'];
const dates = ['"2026-01-31"', '"2026-02-30"', '"2026-01-31T09:30:00Z"', '"today+30"', '2026'];
const types = Object.values(schema.getTypeMap()).filter((type) => isLeafType(type) && type.name !== 'Counts');

test.each(types.map(({ name }) => name))('the same literals of %s are valid as for graphql-js', (name) => {
  const queries = [...literals, ...dates].flatMap((literal) =>
    [`${name}`, `[${name}!]`].flatMap((type) =>
      [literal, `[${literal}]`].map((value) => `query ($value: ${type} = ${value}) { __typename }`),
    ),
  );
  const found = queries.map((query) => [query, isValid(query, withLiterals([ValuesOfCorrectTypeRule]))]);
  expect(found).toEqual(queries.map((query) => [query, isValid(query, [ValuesOfCorrectTypeRule])]));
});
