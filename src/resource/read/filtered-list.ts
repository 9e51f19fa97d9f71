import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import { and, matchesAll, type Row, type Where } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { type Filter, filterWhere } from '../filter/compile.ts';
import type { Filterable } from '../filter/filterable.ts';
import { matchStored } from '../filter/match.ts';
import type { Filterables, Selected } from './lists.ts';
import { fieldPath, loadTogether } from './load.ts';
import type { RowImage } from './row-image.ts';

/** The rows of a resource that a caller can access and that match a filter. */
export class FilteredList {
  private readonly rows: Filterable;
  private readonly where: Where;
  private readonly matches: DataLoader<RowImage, boolean>;

  /** @throws ServiceError BAD_REQUEST or INSUFFICIENT_SCOPE for the filter */
  constructor(
    registry: Filterables,
    private readonly resource: Resource,
    filter: Filter | null | undefined,
    private readonly context: Context,
  ) {
    this.rows = registry.filterableOf(resource);
    this.where = filterWhere(this.rows, filter, context);
    this.matches = new DataLoader(
      async (images) => {
        const stored = images.map((image) => image.stored);
        const [matching] = await matchStored(this.rows, stored, [{ where: this.where }], context.reader);
        return images.map((_, place) => matching?.has(place) ?? false);
      },
      { cache: false },
    );
  }

  /**
   * Whether an earlier version of a row that the caller could access matched the filter. Concurrent calls share one
   * statement.
   */
  matched = async (row: RowImage): Promise<boolean> => matchesAll(this.where) || this.matches.load(row);

  /**
   * Finds a row of the list by its id, with those that are looked for at the same time in the same context.
   *
   * @param info of the field that shows the row
   * @param selection what a query selects of the row, and its id
   */
  async find(id: string, info: GraphQLResolveInfo, selection: Pick<Selected, 'select'>): Promise<Row | null> {
    const { context, where, resource } = this;
    const { model, type } = resource;
    const row = await loadTogether(context, `${type} ${fieldPath(info.path)}`, id, async (ids) => {
      const rows = await context.reader.findMany(model, {
        ...selection,
        as: type,
        where: and([{ id: { in: ids } }, where]),
      });
      return new Map(rows.map((each) => [String(each['id']), each]));
    });
    return row ?? null;
  }
}
