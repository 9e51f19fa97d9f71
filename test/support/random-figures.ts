// What is computed of the lists of rows, drawn at random: `comments.count`, `invoices.amount.sum`.
import { type GraphQLInputObjectType, type GraphQLSchema, getNamedType, isInputObjectType } from 'graphql';
import { stepsOf } from './filter-model.ts';
import type { Random } from './random.ts';

/** The lists of the rows of a type, with the type that measures them. */
const listsOf = (schema: GraphQLSchema, type: string): { name: string; measures: GraphQLInputObjectType }[] =>
  fieldsOf(schema.getType(`${type}Filter`)).flatMap(({ name, type: of }) => {
    const measure = fieldsOf(getNamedType(of)).find((field) => field.name === 'measure');
    const measures = measure && getNamedType(measure.type);
    return isInputObjectType(measures) ? [{ name, measures }] : [];
  });

const fieldsOf = (type: unknown) => (isInputObjectType(type) ? Object.values(type.getFields()) : []);

/** Draws a figure; undefined for rows without lists. */
export function drawFigure(random: Random, schema: GraphQLSchema, type: string): string | undefined {
  const lists = listsOf(schema, type);
  if (lists.length === 0) return undefined;
  const { name, measures } = random.pick(lists);
  const numbers = fieldsOf(measures).filter((field) => field.name !== 'where' && field.name !== 'count');
  if (numbers.length === 0 || random.chance(0.4)) return `${name}.count`;
  return `${name}.${random.pick(numbers).name}.${random.pick(['sum', 'avg', 'min', 'max'])}`;
}

/** The lists of which the time of the first row is known, beside that of their own row. */
export const listsWithFirst = (schema: GraphQLSchema, type: string): string[] =>
  fieldsOf(schema.getType(`${type}Filter`)).some(({ name }) => name === 'createdAt')
    ? listsOf(schema, type).flatMap(({ name, measures }) => {
        const where = fieldsOf(measures).find((field) => field.name === 'where');
        const hasTime = fieldsOf(where && getNamedType(where.type)).some((field) => field.name === 'createdAt');
        return hasTime && stepsOf(type, name).length === 1 ? [name] : [];
      })
    : [];
