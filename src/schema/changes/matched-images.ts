import { type GivenRows } from '../../database/read/matches.ts';
import type { Reader } from '../../database/read/reader.ts';
import { noFilter } from '../../database/read/row-access.ts';
import type { StoredRow } from '../../events/log.ts';
import { columnsIn, getOrCreate, type SqlModel, type Where } from '../../resource/index.ts';

/** A row filter, and the columns that it reads. */
export class ImageFilter {
  readonly model: string;
  /** Equal for filters that match the same rows. */
  readonly key: string;
  /** The columns that decide whether a row matches, by their names in the database. */
  readonly columns: readonly string[];

  constructor(
    model: SqlModel,
    readonly where: Where,
  ) {
    this.model = model.name;
    this.key = `${model.name} ${JSON.stringify(where)}`;
    this.columns = [...new Set(columnsIn(model, where))];
  }
}

/** A row as it was, and a filter that is asked about it. */
interface Question {
  readonly filter: ImageFilter;
  readonly image: StoredRow;
}

/** Which filters rows matched as they were. */
export class MatchedImages {
  private constructor(private readonly matched: ReadonlyMap<string, ReadonlySet<StoredRow>>) {}

  /**
   * Applies row filters to rows as they were, in one statement: the SQL of every read, over the images of the log.
   * Related rows are compared as they are now.
   */
  static async find(questions: readonly Question[], reader: Reader): Promise<MatchedImages> {
    const byModel = new Map<string, { filters: Map<string, ImageFilter>; images: Set<StoredRow> }>();
    for (const { filter, image } of questions) {
      const part = getOrCreate(byModel, filter.model, () => ({ filters: new Map(), images: new Set<StoredRow>() }));
      part.filters.set(filter.key, filter);
      part.images.add(image);
    }
    const parts = [...byModel].map(([model, { filters, images }]) => {
      return { model, filters: [...filters.values()], images: [...images] };
    });
    const found = await reader.matches(
      parts.map(({ model, filters, images }): GivenRows => {
        const columns = new Set(filters.flatMap((filter) => filter.columns));
        const rows = images.map((image) => Object.fromEntries([...columns].map((name) => [name, image[name] ?? null])));
        return { model, rows, conditions: filters.map(({ where }) => ({ where, filterOf: noFilter })) };
      }),
    );
    return new MatchedImages(
      new Map(
        parts.flatMap(({ filters, images }, part) =>
          filters.map(
            ({ key }, n) => [key, new Set(images.filter((_, place) => found[part]?.[n]?.has(place)))] as const,
          ),
        ),
      ),
    );
  }

  /** Whether a row matched a filter, about which both were asked. */
  has({ key }: ImageFilter, image: StoredRow): boolean {
    return this.matched.get(key)?.has(image) ?? false;
  }
}
