import type { ApiStorage } from '../../context.ts';
import type { SqlModel } from '../../database/read/models.ts';
import { modelOf } from '../../database/read/schema-models.ts';
import { readableFiles } from '../access/files.ts';
import { rowFiltersOf } from '../access/row-filters.ts';
import type { Resource } from '../definition/resource.ts';

/**
 * What an API stores: the models with the fields that its resources add to their columns, their row filters, and who
 * may read the files that rows hold.
 *
 * @throws Error for a field that two resources of one model store in different places, or as different types
 */
export function storageOf(resources: readonly Resource[]): ApiStorage {
  const rowFilters = rowFiltersOf(resources);
  const extended = new Map<string, SqlModel>();
  for (const resource of resources) {
    const model = extended.get(resource.model) ?? modelOf(resource.model);
    const { fields } = model;
    for (const { name, column, type } of Object.values(resource.stored)) {
      const known = fields[name];
      if (known && (known.column !== column || known.type !== type))
        throw new Error(`${resource.type}.${name} is stored otherwise by another resource.`);
    }
    if (resource.stored !== fields)
      extended.set(resource.model, { ...model, fields: { ...fields, ...resource.stored } });
  }
  return {
    models: extended.size === 0 ? modelOf : (name) => extended.get(name) ?? modelOf(name),
    rowFilters,
    readableFiles: (ids, context) => readableFiles(resources, ids, context),
  };
}
