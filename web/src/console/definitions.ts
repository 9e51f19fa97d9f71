// What the API says about its resources: the pages of all of them follow from it.

import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import {
  CollectionsDocument,
  type CollectionsQuery,
  DefinitionDocument,
  type DefinitionQuery,
  InputDocument,
  type InputQuery,
} from '../api/generated/graphql.ts';
import { execute } from '../api/graphql.ts';
import { loadHelp, loadWords, sayFields, sayNames, sayResources } from '../texts/words.ts';

/** What is needed of each resource to link to its rows. */
export type Collection = NonNullable<CollectionsQuery['resources']>[number];

/** All about one resource. */
export type Definition = NonNullable<DefinitionQuery['resources']>[number];

/** A field of a row, or a value that an operation takes. */
export type Field = Definition['fields'][number];

/** An operation that writes. */
export type Action = Definition['actions'][number];

/** A value that an operation takes. */
export type Input = NonNullable<InputQuery['actions']>[number]['input'][number];

/** The resources that the person can read, by type. They change with the service and the person's role alone. */
export const collectionsQuery = queryOptions({
  queryKey: ['api', 'collections'],
  queryFn: async () => {
    const [{ resources }, say] = await Promise.all([execute(CollectionsDocument), loadWords()]);
    return new Map(sayNames(say, resources).map((resource) => [resource.type, resource]));
  },
  staleTime: Infinity,
});

/** All about a resource. @param type of its rows, one that the person can read */
export const definitionQuery = (type: string) =>
  queryOptions({
    queryKey: ['api', 'definition', type],
    queryFn: async (): Promise<Definition> => {
      const [{ resources }, say] = await Promise.all([execute(DefinitionDocument, { types: [type] }), loadWords()]);
      const [found] = sayResources(say, resources);
      if (!found) throw new Error(`You cannot read ${type}.`);
      return found;
    },
    staleTime: Infinity,
  });

/** What an operation takes. @param field the name of its mutation */
export const inputQuery = (field: string) =>
  queryOptions({
    queryKey: ['api', 'input', field],
    queryFn: async (): Promise<readonly Input[]> => {
      const [{ actions }, say, sayHelp] = await Promise.all([
        execute(InputDocument, { fields: [field] }),
        loadWords(),
        loadHelp(),
      ]);
      return sayFields(say, actions[0]?.input ?? []).map((each) => ({
        ...each,
        description: each.description && sayHelp(each.description),
        fields: sayFields(say, each.fields),
      }));
    },
    staleTime: Infinity,
  });

/** What an operation takes. */
export const useInput = ({ field }: Action): readonly Input[] => useSuspenseQuery(inputQuery(field)).data;

/** The resources that the person can read, by type. */
export const useCollections = (): ReadonlyMap<string, Collection> => useSuspenseQuery(collectionsQuery).data;

/** All about a resource that the person can read. */
export const useDefinition = (type: string): Definition => useSuspenseQuery(definitionQuery(type)).data;

/** The resource whose pages have this part in their addresses; undefined if the person can read none. */
export function useCollectionAt(page: string): Collection | undefined {
  return [...useCollections().values()].find((collection) => collection.page === page);
}

/** The field of a name. */
export const fieldOf = ({ fields }: Pick<Definition, 'fields'>, name: string): Field | undefined =>
  fields.find((field) => field.name === name);

/** What is done with one row. */
type RowAction = 'create' | 'update' | 'delete' | 'restore';

/** An operation on one row of a resource, if the person may run it at all. */
export const actionOf = ({ type, actions }: Definition, action: RowAction): Action | undefined =>
  actions.find(({ field, isAllowed }) => field === action + type && isAllowed);
