import type { GraphQLArgument } from 'graphql';
import { snakeCase } from '../../names.ts';
import { parameterName } from '../names.ts';
import type { JsonSchema } from './types.ts';

/**
 * Replaces GraphQL names of fields and arguments in a description by REST names: `startDate` → `start_date`.
 * @param args the arguments of the described operation, which may declare REST names
 */
export function inRestNames(text: string, args: readonly GraphQLArgument[] = []): string {
  return text.replace(/\b[a-z]+(?:[A-Z][a-z\d]*)+\b/g, (name) => {
    const argument = args.find((arg) => arg.name === name);
    return argument ? parameterName(argument) : snakeCase(name);
  });
}

/** The `description` of a schema: the field's own, with REST's names, and additional sentences. */
export function describe(
  { description }: { readonly description?: string | null },
  ...more: readonly (string | undefined)[]
): JsonSchema {
  const text = [description && inRestNames(description), ...more].filter(Boolean).join(' ');
  return text ? { description: text } : {};
}
