import { useQuery } from '@tanstack/react-query';
import { useCollections } from '../definitions.ts';
import { titleQuery } from '../rows.ts';

/** The name of a user, by id. */
export function PersonName({ id }: { readonly id: string }) {
  const { data } = useQuery(titleQuery(useCollections().get('User'), id));
  return data ?? '…';
}
