import type { Context } from '../../context.ts';
import { and, columnFacts, listModel, type ModelName, modelFacts } from '../model.ts';
import { tenantWhere } from '../query.ts';
import type { RelatedList, Resource, SchemaKit } from '../resource.ts';
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
    found[relation] = { isList: true, relation, target, accessFilter: () => ({}) };
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
    accessFilter: (context) => target.accessFilter?.(context) ?? {},
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
    through,
    accessFilter: (context) => relatedAccessFilter(model, target, context),
  };
}

/**
 * The related rows that the caller can access. Foreign keys keep rows of other companies out of relations, except for
 * companies themselves: a person may belong to several.
 */
export function relatedAccessFilter(
  model: ModelName,
  target: Pick<Resource, 'model' | 'accessFilter'>,
  context: Context,
) {
  return and([model === 'Company' ? tenantWhere(target.model, context) : {}, target.accessFilter?.(context) ?? {}]);
}

/** The items that are part of a row: their columns, and the relations whose column is among them. */
function nestedFilterable(kit: SchemaKit, model: ModelName, columns: readonly string[]): Filterable {
  const relations = Object.entries(modelFacts(model).relations).flatMap(([name, column]) =>
    columns.includes(column) ? [[name, toOne(kit, model, name, column)] as const] : [],
  );
  return { type: model, model, columns, normalized: {}, computed: {}, relations: Object.fromEntries(relations) };
}
