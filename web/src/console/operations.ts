// The parts of operations that are written from definitions.

/** An argument of a field: its value, and its name and type in GraphQL. */
export interface Argument {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

/** The declarations of variables, such as `($first: Int)`. */
export const declare = (given: readonly Argument[]) =>
  given.length > 0 ? `(${given.map(({ name, type }) => `$${name}: ${type}`).join(', ')})` : '';

/** The arguments of a field that takes the variables of their names. */
export const pass = (given: readonly Argument[]) =>
  given.length > 0 ? `(${given.map(({ name }) => `${name}: $${name}`).join(', ')})` : '';

/** The values of the variables. */
export const valuesOf = (given: readonly Argument[]): Record<string, unknown> =>
  Object.fromEntries(given.map(({ name, value }) => [name, value]));
