import type { Context } from '../../context.ts';
import type { RowFilter } from '../../database/index.ts';
import type { Where } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { anyOf } from '../filter/operators.ts';
import { getOrCreate } from '../get-or-create.ts';

/**
 * Creates the row filters of an API, which the reader applies to every table that a statement opens.
 *
 * @returns a function from a context to the filters of its caller. Where a model has several types, each has its own; a
 *   read that names none has the rows that any of them shows.
 */
export function rowFiltersOf(resources: readonly Resource[]): (context: Context) => RowFilter {
  const byModel = new Map<string, Resource[]>();
  for (const resource of resources) byModel.set(resource.model, [...(byModel.get(resource.model) ?? []), resource]);
  for (const [model, types] of byModel) if (!types.some(({ accessFilter }) => accessFilter)) byModel.delete(model);
  return (context) => {
    const known = new Map<string, Where | null>();
    return (model, type) => {
      const types = byModel.get(model);
      if (!types) return undefined;
      const found = getOrCreate(known, `${model} ${type ?? ''}`, () => filterOf(types, type, context) ?? null);
      return found ?? undefined;
    };
  };
}

function filterOf(types: readonly Resource[], name: string | undefined, context: Context): Where | undefined {
  const chosen = name === undefined ? types : types.filter(({ type }) => type === name);
  if (chosen.length === 0) throw new Error(`${name} is no type of these rows.`);
  const filters = chosen.flatMap(({ accessFilter }): Where[] => (accessFilter ? [accessFilter(context)] : []));
  return filters.length < chosen.length ? undefined : anyOf(filters);
}
