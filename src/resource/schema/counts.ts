import { GraphQLScalarType } from 'graphql';

/** Counts by enum value, as REST and the database spell it. */
export type Counts = Readonly<Record<string, number>>;

/** Counts by enum value. It is an output type only. */
export const CountsScalar = new GraphQLScalarType<Counts, Counts>({
  name: 'Counts',
  description: 'Counts by enum value: an object with every value of an enum, spelled as in REST, and its count.',
});
