import type { GraphQLArgument } from 'graphql';
import { snakeCase } from '../../names.ts';
import { parameterName } from '../names.ts';
import type { JsonSchema } from './types.ts';

/**
 * Replaces the names of GraphQL fields and arguments in a description by their REST names: `startDate` → `start_date`.
 * @param args the arguments of the operation that is described, which may declare REST names of their own
 */
export function inRestNames(text: string, args: readonly GraphQLArgument[] = []): string {
  return text.replace(/\b[a-z]+(?:[A-Z][a-z\d]*)+\b/g, (name) => {
    const argument = args.find((arg) => arg.name === name);
    return argument ? parameterName(argument) : snakeCase(name);
  });
}

/** The `description` of a schema: the field's own, in REST's names, and additional sentences. */
export function describe(
  { description }: { readonly description?: string | null },
  ...more: readonly (string | undefined)[]
): JsonSchema {
  const text = [description && inRestNames(description), ...more].filter(Boolean).join(' ');
  return text ? { description: text } : {};
}
