import { listModel, type ModelName, modelFacts, storedField, wordsOfModel } from '../definition/model.ts';
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
  const { model, nestedItems } = resource;
  const { relations: references, lists: listFacts } = modelFacts(model);
  const found: Record<string, FilterRelation> = {};
  for (const name of registry.relationsOf(resource)) {
    const reference = references[name];
    if (reference !== undefined) found[name] = toOne(registry, model, name, reference);
    const list = listFacts[name];
    if (list) found[name] = toMany(registry, model, { relation: name, target: registry.resourceOf(list.model) });
  }
  for (const [name, list] of lists) found[name] = toMany(registry, model, list);
  for (const [relation, columns] of Object.entries(nestedItems)) {
    const target = nestedFilterable(registry, listModel(model, relation), columns);
    found[relation] = { isList: true, relation, target };
  }
  return found;
}

function toOne(registry: Lookup, model: ModelName, relation: string, column: string): FilterRelation {
  const target = registry.resourceOf(modelFacts(model).references[column] as ModelName);
  return {
    isList: false,
    relation,
    target: registry.filterableOf(target),
    scope: `${target.scope}:read`,
    reference: storedField(modelFacts(model), column).required ? undefined : column,
    isFiltered: target.accessFilter !== undefined,
  };
}

function toMany(registry: Lookup, model: ModelName, { relation, target, through, scope }: RelatedList): FilterRelation {
  const mount = target.rest.mountedUnder?.resource;
  const readScope = `${mount?.model === model ? mount.scope : target.scope}:read` as const;
  return {
    isList: true,
    relation,
    target: registry.filterableOf(target),
    scope: scope ?? readScope,
    through: through && { ...through, isFiltered: target.accessFilter !== undefined },
    as: through ? through.as : registry.typeAmong(target),
  };
}

/** The items that are part of a row: their columns, and the relations whose column is among them. */
function nestedFilterable(registry: Lookup, model: ModelName, columns: readonly string[]): Filterable {
  const relations = Object.entries(modelFacts(model).relations).flatMap(([name, column]) =>
    columns.includes(column) ? [[name, toOne(registry, model, name, column)] as const] : [],
  );
  return {
    type: model,
    words: wordsOfModel(model),
    model,
    stored: modelFacts(model).stored,
    columns,
    normalized: {},
    computed: {},
    policies: noPolicies,
    relations: Object.fromEntries(relations),
  };
}
