import { columnFacts, listModel, type ModelName, modelFacts, wordsOfModel } from '../definition/model.ts';
import { noPolicies } from '../definition/policy.ts';
import type { Resource } from '../definition/resource.ts';
import type { RelatedList, SchemaKit } from '../schema/schema-kit.ts';
import type { Filterable, FilterRelation } from './filterable.ts';

/**
 * Finds what a resource's rows can be filtered by in other rows: the relations and lists that GraphQL shows, and the
 * items that are part of a row.
 *
 * @param lists the lists that are no plain relations, by name
 */
export function filterRelations(
  kit: SchemaKit,
  resource: Resource,
  lists: ReadonlyMap<string, RelatedList>,
): Record<string, FilterRelation> {
  const { model, nestedItems } = resource;
  const { relations: references, lists: listFacts } = modelFacts(model);
  const found: Record<string, FilterRelation> = {};
  for (const name of kit.relationsOf(resource)) {
    const reference = references[name];
    if (reference !== undefined) found[name] = toOne(kit, model, name, reference);
    const list = listFacts[name];
    if (list) found[name] = toMany(kit, model, { relation: name, target: kit.resourceOf(list.model) });
  }
  for (const [name, list] of lists) found[name] = toMany(kit, model, list);
  for (const [relation, columns] of Object.entries(nestedItems)) {
    const target = nestedFilterable(kit, listModel(model, relation), columns);
    found[relation] = { isList: true, relation, target };
  }
  return found;
}

function toOne(kit: SchemaKit, model: ModelName, relation: string, column: string): FilterRelation {
  const target = kit.resourceOf(modelFacts(model).references[column] as ModelName);
  return {
    isList: false,
    relation,
    target: kit.filterableOf(target),
    scope: `${target.scope}:read`,
    reference: columnFacts(model, column).required ? undefined : column,
    isFiltered: target.accessFilter !== undefined,
  };
}

function toMany(kit: SchemaKit, model: ModelName, { relation, target, through, scope }: RelatedList): FilterRelation {
  const mount = target.rest.mountedUnder?.resource;
  const readScope = `${mount?.model === model ? mount.scope : target.scope}:read` as const;
  return {
    isList: true,
    relation,
    target: kit.filterableOf(target),
    scope: scope ?? readScope,
    through: through && { ...through, isFiltered: target.accessFilter !== undefined },
    as: through ? through.as : kit.typeAmong(target),
  };
}

/** The items that are part of a row: their columns, and the relations whose column is among them. */
function nestedFilterable(kit: SchemaKit, model: ModelName, columns: readonly string[]): Filterable {
  const relations = Object.entries(modelFacts(model).relations).flatMap(([name, column]) =>
    columns.includes(column) ? [[name, toOne(kit, model, name, column)] as const] : [],
  );
  return {
    type: model,
    words: wordsOfModel(model),
    model,
    columns,
    normalized: {},
    computed: {},
    policies: noPolicies,
    relations: Object.fromEntries(relations),
  };
}
