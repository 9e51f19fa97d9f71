import type { ListBelow, ListsBelow } from '../definition/list-below.ts';
import type { ModelName } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import type { Filterable, FilterRelation } from '../filter/filterable.ts';
import { filterRelations, type RelatedList } from '../filter/relations.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { Listing } from '../read/lists.ts';
import type { ActionDescription, ApiDescription } from './description.ts';
import { findListsBelow } from './lists-below.ts';

/** What the resources of an API are together: requests look up in it what a resource does not know by itself. */
export class Registry {
  private readonly filterables = new Map<string, Filterable>();
  /** Type → the lists inside its rows that are no plain relations, by name. */
  private readonly relatedLists = new Map<string, Map<string, RelatedList>>();
  /** Model → its lists of rows of resources that refer to it. */
  private readonly backRelations = new Map<ModelName, string[]>();
  /** Type → the lists whose rows can be created with a row. */
  private readonly below = new Map<string, readonly ListBelow[]>();
  private readonly rowActions = new Map<string, readonly ActionDescription[]>();
  private described: ApiDescription | undefined;

  /**
   * @param resources all resources of the API, in the order of its schema
   * @param listings the lists of rows that are no resource
   */
  constructor(
    readonly resources: readonly Resource[],
    readonly listings: readonly Resource[] = [],
  ) {
    const both = listings.find(({ model }) => resources.some((resource) => resource.model === model));
    if (both) throw new Error(`${both.model} has a resource, so its rows have a list already.`);
    for (const resource of resources) this.addBackRelations(resource);
  }

  /** What the API says about its resources. @throws Error until the schema is built */
  get description(): ApiDescription {
    if (!this.described) throw new Error('The schema is not built yet.');
    return this.described;
  }

  set description(described: ApiDescription) {
    this.described = described;
  }

  /** The operations that write a row of a type that there is. */
  readonly rowActionsOf = (type: string): readonly ActionDescription[] =>
    getOrCreate(
      this.rowActions,
      type,
      () => this.description.resources.find((one) => one.type === type)?.rowActions ?? [],
    );

  /** The resource of a type, or the list of its rows. */
  find(type: string): Resource | undefined {
    return [...this.resources, ...this.listings].find((one) => one.type === type);
  }

  /** The resource of a model. @throws Error unless there is one */
  resourceOf(model: ModelName): Resource {
    const [found, ...others] = this.resources.filter((resource) => resource.model === model);
    if (!found || others.length > 0) throw new Error(`${model} has ${found ? 'several resources' : 'no resource'}.`);
    return found;
  }

  /** The type of a resource, where its model has several; otherwise undefined. */
  typeAmong({ model, type }: Resource): string | undefined {
    return this.resources.some((other) => other.model === model && other.type !== type) ? type : undefined;
  }

  /** The relations of a resource in GraphQL: its own, and the lists of rows that refer to it. */
  relationsOf({ model, graphql }: Resource): readonly string[] {
    return [...new Set([...graphql.relations, ...(this.backRelations.get(model) ?? [])])];
  }

  /** The lists whose rows can be created together with a row. */
  readonly listsBelow: ListsBelow = ({ type }) =>
    getOrCreate(this.below, type, () => {
      const resource = this.resources.find((one) => one.type === type);
      return resource ? findListsBelow(this.resources, resource, this.relationsOf(resource)) : [];
    });

  /** Lets clients filter a resource by one of its nested lists. */
  addRelatedList(resource: Resource, name: string, list: RelatedList): void {
    getOrCreate(this.relatedLists, resource.type, () => new Map<string, RelatedList>()).set(name, list);
  }

  /** What the rows of a list can be filtered and sorted by. */
  filterableOf({ type, words, model, stored, roles, columns, normalized, filters, policies }: Listing): Filterable {
    const known = this.filterables.get(type);
    if (known) return known;
    const resource = this.find(type);
    const findRelations = () =>
      resource ? filterRelations(this, resource, this.relatedLists.get(type) ?? new Map<string, RelatedList>()) : {};
    let relations: Readonly<Record<string, FilterRelation>> | undefined;
    const filterable: Filterable = {
      type,
      words,
      model,
      stored,
      roles,
      columns: columns.filter((name) => !stored[name]?.list),
      normalized,
      computed: filters,
      measures: resource?.measures ?? {},
      ranges: resource?.ranges ?? {},
      policies,
      get relations() {
        return (relations ??= findRelations());
      },
    };
    this.filterables.set(type, filterable);
    return filterable;
  }

  /** Adds a list for the other side of each relation to one row. */
  private addBackRelations({ model, relations, graphql, parent }: Resource): void {
    // Two resources of one model define their lists themselves.
    if (this.resources.filter((resource) => resource.model === model).length > 1) return;
    for (const relation of graphql.relations) {
      const { field, target } = relations[relation] ?? {};
      if (!field || !target || field.name === parent?.column) continue;
      const [back] = Object.entries(target.lists).filter(
        ([, list]) => list.target.model === model && list.column === field.name,
      );
      if (back) this.backRelations.set(target.model, [...(this.backRelations.get(target.model) ?? []), back[0]]);
    }
  }
}
