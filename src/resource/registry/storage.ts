import type { ApiStorage } from '../../context.ts';
import { modelOf, type SqlModel } from '../../database/read/models.ts';
import { rowFiltersOf } from '../access/row-filters.ts';
import type { Resource } from '../definition/resource.ts';

/**
 * What an API stores: the models with the fields that its resources add to their columns, and their row filters.
 *
 * @throws Error for a field that two resources of one model store differently
 */
export function storageOf(resources: readonly Resource[]): ApiStorage {
  const extended = new Map<string, SqlModel>();
  for (const { model: name, type, stored } of resources) {
    const model = extended.get(name) ?? modelOf(name);
    const added = Object.values(stored).filter((field) => model.fields[field.name] !== field);
    const known = added.find((field) => field.name in model.fields);
    if (known) throw new Error(`${type}.${known.name} is stored in another place already.`);
    if (added.length > 0)
      extended.set(name, {
        ...model,
        fields: { ...model.fields, ...Object.fromEntries(added.map((f) => [f.name, f])) },
      });
  }
  return { models: (name) => extended.get(name) ?? modelOf(name), rowFilters: rowFiltersOf(resources) };
}
