// Values of a result as people read them.
import { useQuery } from '@tanstack/react-query';
import { useMeta } from '../components/useMeta.ts';
import { type Definition, definitionQuery, useCollections } from '../console/definitions.ts';
import { fieldsTo } from './document.ts';
import type { Source } from './links.ts';
import { plainText, type TextOf } from './plain-text.ts';

/** What the API says about the list that a part comes from; undefined of other values. */
export function useSourceDefinition(source: Source | undefined): Definition | undefined {
  const collection = [...useCollections().values()].find(({ listField }) => listField === source?.listField);
  const { data } = useQuery({ ...definitionQuery(collection?.type ?? ''), enabled: collection !== undefined });
  return collection && data;
}

/** A function that says the values of a part: those of enums as the API calls them. */
export function useTextOf(source: Source | undefined, definition: Definition | undefined): TextOf {
  const meta = useMeta();
  return ({ place, ...column }, value, isShort = false) => {
    const name = place.replace(/^key\./, '');
    const inner = typeof value === 'string' && definition && source?.groups ? groupsField(source, place) : name;
    const field = definition?.fields.find((each) => each.name === inner);
    if (field?.control === 'CHOICE' && typeof value === 'string') return meta.label(field.type, value);
    return plainText({ place, ...column }, value, isShort);
  };
}

/** The name of the field that a key shows, which may have another one in the response. */
function groupsField({ groups, query }: Source, place: string): string | undefined {
  if (!groups?.selectionSet) return undefined;
  const path = fieldsTo({ selection: groups.selectionSet, fragments: query.fragments }, place);
  return path?.length === 2 ? path[1]?.name.value : undefined;
}
