import { useNavigate, useSearch } from '@tanstack/react-router';

/**
 * What the address of a place says after the question mark, and a function that changes it.
 *
 * @param parse reads it; what is none of it is left out
 */
export function usePlaceSearch<Search extends object>(
  parse: (search: Readonly<Record<string, unknown>>) => Search,
): readonly [Search, (next: Search) => void] {
  const search = parse(useSearch({ strict: false }));
  const navigate = useNavigate();
  return [search, (next) => void navigate({ to: '.', search: next as Record<string, unknown>, resetScroll: false })];
}
