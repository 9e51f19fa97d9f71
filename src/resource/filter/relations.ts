import { spaced } from '../../names.ts';
import { listOf, type ModelName, type Rows, type ToOne } from '../definition/model.ts';
import { noPolicies } from '../definition/policy.ts';
import type { Resource } from '../definition/resource.ts';
import type { Listing } from '../read/lists.ts';
import type { Filterable, FilterRelation } from './filterable.ts';

/** A list of rows inside the rows of a resource. */
export interface RelatedList {
  /** Prisma's name of the relation to the rows, or to the join table. */
  readonly relation: string;
  readonly target: Resource;
  readonly through?: FilterRelation['through'];
  /** The scope that the list requires, if not the target's own. */
  readonly scope?: FilterRelation['scope'];
}

/** Finds resources by what refers to them. */
interface Lookup {
  resourceOf(model: ModelName): Resource;
  relationsOf(resource: Resource): readonly string[];
  typeAmong(resource: Resource): string | undefined;
  filterableOf(listing: Listing): Filterable;
}

/**
 * Finds what a resource's rows can be filtered by in other rows: the relations and lists that GraphQL shows, and the
 * items that are part of a row.
 *
 * @param lists the lists that are no plain relations, by name
 */
export function filterRelations(
  registry: Lookup,
  resource: Resource,
  lists: ReadonlyMap<string, RelatedList>,
): Record<string, FilterRelation> {
  const { nestedItems } = resource;
  const found: Record<string, FilterRelation> = {};
  for (const name of registry.relationsOf(resource)) {
    const relation = resource.relations[name];
    if (relation) found[name] = toOne(registry, name, relation);
    const list = resource.lists[name];
    if (list)
      found[name] = toMany(registry, resource, name, {
        relation: name,
        target: registry.resourceOf(list.target.model),
      });
  }
  for (const [name, list] of lists) found[name] = toMany(registry, resource, name, list);
  for (const [relation, columns] of Object.entries(nestedItems)) {
    const { target, words } = listOf(resource, relation);
    found[relation] = { isList: true, relation, words, target: nestedFilterable(registry, target, columns) };
  }
  return found;
}

function toOne(registry: Lookup, relation: string, { field, target: { model } }: ToOne): FilterRelation {
  const target = registry.resourceOf(model);
  return {
    isList: false,
    relation,
    words: spaced(relation),
    target: registry.filterableOf(target),
    scope: `${target.scope}:read`,
    reference: field.required ? undefined : field.name,
    isFiltered: target.accessFilter !== undefined,
  };
}

function toMany(
  registry: Lookup,
  { model, lists }: Rows,
  name: string,
  { relation, target, through, scope }: RelatedList,
): FilterRelation {
  const mount = target.rest.mountedUnder?.resource;
  const readScope = `${mount?.model === model ? mount.scope : target.scope}:read` as const;
  return {
    isList: true,
    relation,
    words: lists[name]?.words ?? spaced(name),
    target: registry.filterableOf(target),
    scope: scope ?? readScope,
    through: through && { ...through, isFiltered: target.accessFilter !== undefined },
    as: through ? through.as : registry.typeAmong(target),
  };
}

/** The items that are part of a row: their columns, and the relations whose column is among them. */
function nestedFilterable(registry: Lookup, items: Rows, columns: readonly string[]): Filterable {
  const relations = Object.entries(items.relations).flatMap(([name, relation]) =>
    columns.includes(relation.field.name) ? [[name, toOne(registry, name, relation)] as const] : [],
  );
  const { model, words, stored, roles } = items;
  return {
    ...{ type: model, words, model, stored, roles },
    columns,
    normalized: {},
    computed: {},
    measures: {},
    ranges: {},
    policies: noPolicies,
    relations: Object.fromEntries(relations),
  };
}
