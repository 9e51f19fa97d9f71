import { createContext, use } from 'react';
import type { Meta, Mutation } from '../api/meta.ts';
import { formatFieldError } from '../format.ts';

/** What the API says about itself, for what is inside `AuthenticatedPage`. */
export const MetaContext = createContext<Meta | undefined>(undefined);

/** The words and limits of the API. */
export function useMeta(): Meta {
  const meta = use(MetaContext);
  if (!meta) throw new Error('Only a page of a company has the words of the API.');
  return meta;
}

/** What a button that runs a mutation is called. */
export const useLabel = (mutation: Mutation): string => useMeta().action(mutation).label;

/**
 * What the fields of a form have from the input of its mutation: `labelled` any of them, `text` those for text.
 *
 * @param errors the errors of the fields, by name
 */
export function useFields(mutation: Mutation, errors: Readonly<Record<string, string | undefined>>) {
  const { input } = useMeta().action(mutation);
  const find = (name: string) => {
    const found = input.find((each) => each.name === name);
    if (!found) throw new Error(`${mutation} takes no ${name}.`);
    return found;
  };
  const labelled = (name: string) => {
    const { label } = find(name);
    return { name, label, error: formatFieldError(label, errors[name]) };
  };
  const text = (name: string) => {
    const { isRequired, maxLength } = find(name);
    return { ...labelled(name), required: isRequired, withAsterisk: false, maxLength: maxLength ?? undefined };
  };
  return { labelled, text };
}
