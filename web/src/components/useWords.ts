import { getMeta } from '../api/meta.ts';
import { formatName } from '../format.ts';
import { useQuery } from './useQuery.ts';

/** What people call a value of an enum of the API, in the spelling of GraphQL or REST. */
export type Words = (enumName: string, value: string) => string;

/** The words of enums; until they are loaded, those of their names. */
export function useWords(): Words {
  const { data: meta } = useQuery(getMeta);
  return (enumName, value) => meta?.label(enumName, value) ?? formatName(value.toLowerCase());
}
