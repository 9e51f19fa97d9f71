import type { GraphQLArgument } from 'graphql';
import { snakeCase } from '../names.ts';

/** The list arguments that have other names in REST. */
const renamed = new Map([
  ['first', 'limit'],
  ['after', 'cursor'],
]);

/**
 * An argument's name as a query parameter: `extensions.rest` where the argument sets it, otherwise its name in snake
 * case.
 */
export const parameterName = ({ name, extensions }: Pick<GraphQLArgument, 'name' | 'extensions'>): string =>
  typeof extensions.rest === 'string' ? extensions.rest : (renamed.get(name) ?? snakeCase(name));

/** A field's name in REST bodies. A path keeps its dots: `location.buildingId` → `location.building_id`. */
export const fieldName = (field: string) => snakeCase(field);

/** The default sort of a list, which GraphQL spells its own way: as a column, or as the member of an enum. */
export function defaultSort({ defaultValue = 'createdAt' }: Partial<Pick<GraphQLArgument, 'defaultValue'>>) {
  const name = String(defaultValue);
  return { sort: name === name.toUpperCase() ? name.toLowerCase() : fieldName(name), order: 'desc' };
}
