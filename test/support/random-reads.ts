import facts from '../../src/database/generated/facts.ts';
import type { FindArgs, Row } from '../../src/database/read/find.ts';
import { Random } from './random.ts';

interface Column {
  readonly type: string;
  readonly enum: boolean;
  readonly list: boolean;
  readonly required: boolean;
  readonly hasDefault: boolean;
}

interface Model {
  readonly columns: Readonly<Record<string, Column>>;
  readonly joins: Readonly<Record<string, { readonly model: string; readonly list: boolean }>>;
}

/** The models, without the relations between companies: a reader reads one of them. */
const models = Object.fromEntries(
  Object.entries<Model>(facts.models).map(([name, { columns, joins }]) => {
    const own = Object.entries(joins).filter(([, { model }]) => name !== 'Company' || model !== 'Company');
    return [name, { columns, joins: Object.fromEntries(own) }];
  }),
);

const hidden = /^(ApiToken|Session|IdempotencyKey|Counter|Change)$/;

const nilUuid = '00000000-0000-0000-0000-000000000000';

/** The models that a reader reads: those with rows of companies, except `hidden` ones, which other code reads. */
export const readModels = Object.keys(models).filter(
  (name) => name === 'Company' || ('companyId' in (models[name]?.columns ?? {}) && !hidden.test(name)),
);

/** Creates random reads, the same for the same seed. */
export class RandomReads extends Random {
  /**
   * @param seed any integer
   * @param samples rows of each model, whose values conditions use
   */
  constructor(
    seed: number,
    private readonly samples: Readonly<Record<string, readonly Row[]>>,
  ) {
    super(seed);
  }

  /** The arguments of a read: a nested selection, a condition, an order and a page. */
  args(model: string, depth = 3): FindArgs {
    return {
      ...(this.chance(0.95) && { select: this.select(model, depth) }),
      ...(this.chance(0.8) && { where: this.where(model, 3) }),
      // By the key last, as rows with equal sort values come in any order.
      orderBy: [...this.some(this.sortKeys(model), 2), ...this.keyOrder(model)],
      ...(this.chance(0.7) && { take: this.integer(30) }),
      ...(this.chance(0.3) && { skip: this.integer(5) }),
    };
  }

  /**
   * A condition of any of the kinds that Prisma and the reader know.
   *
   * @param negated whether it is inside a NOT. No condition on a to-one relation is created there: where its result is
   *   unknown, because a column of the related row is null, Prisma's differs from the reader's.
   */
  where(model: string, depth: number, negated = false): Row {
    const { columns, joins } = modelOf(model);
    const parts = Array.from({ length: 1 + this.integer(2) }, (): Row => {
      const kind = this.integer(depth > 0 ? 9 : 4);
      const nested = () => this.where(model, depth - 1, negated);
      if (kind === 5) return { AND: [nested(), nested()] };
      if (kind === 6) return { OR: [nested(), nested()] };
      if (kind === 7) return { NOT: this.where(model, depth - 1, true) };
      if (kind === 8) {
        const name = this.pick(Object.keys(joins));
        const join = joins[name];
        if (!join || !readModels.includes(join.model) || (!join.list && negated)) return {};
        const how = join.list ? this.pick(['some', 'none', 'every']) : 'is';
        return { [name]: { [how]: this.where(join.model, depth - 1, how === 'every') } };
      }
      const name = this.pick(
        // Prisma has a null of its own for JSON.
        Object.keys(columns).filter(
          (column) => !columns[column]?.list && !['Bytes', 'Json'].includes(columns[column]?.type ?? ''),
        ),
      );
      return { [name]: this.condition(model, name) };
    });
    const all = Object.assign({}, ...parts) as Row;
    // Prisma drops an empty condition, where the reader takes it for one that always holds.
    const isEmpty = Object.values(all).every((value) => value === undefined);
    return isEmpty ? { ['companyId' in columns ? 'companyId' : 'id']: { not: nilUuid } } : all;
  }

  /** The columns of a new row: values of stored rows, without some that may be left out. */
  newRow(model: string): Row {
    const columns = Object.entries(modelOf(model).columns).filter(([name]) => name !== 'id' && name !== 'trackingKey');
    const given = columns.filter(([, { required, hasDefault }]) => (required && !hasDefault) || this.chance(0.7));
    const rows = this.samples[model] ?? [];
    return Object.fromEntries(given.map(([name]) => [name, this.pick(rows)[name]]));
  }

  private condition(model: string, name: string): unknown {
    const { type, enum: isEnum, required } = modelOf(model).columns[name] as Column;
    const values = (this.samples[model] ?? []).map((row) => row[name]).filter((value) => value != null);
    if (!required && (values.length === 0 || this.chance(0.2))) return this.chance(0.5) ? null : { not: null };
    if (values.length === 0) return undefined;
    const value = this.pick(values);
    if (type === 'Boolean') return this.chance(0.5) ? value : { not: value };
    if (this.chance(0.3)) return value;
    const several = [value, this.pick(values), this.pick(values)];
    if (this.chance(0.3)) return { [this.pick(['in', 'notIn'])]: several };
    if (this.chance(0.2)) return { not: this.chance(0.5) ? value : { in: several } };
    if (isEnum) return { equals: value };
    if (type === 'String') {
      const [text, mode] = [value as string, this.chance(0.5) ? { mode: 'insensitive' } : {}];
      const part = text.slice(this.integer(3), 3 + this.integer(5)).replace(/[\\%_]/g, '');
      return { [this.pick(['contains', 'startsWith', 'endsWith'])]: part.toLowerCase(), ...mode };
    }
    if (type === 'Uuid') return { equals: value };
    return { [this.pick(['lt', 'lte', 'gt', 'gte', 'equals', 'not'])]: value };
  }

  private select(model: string, depth: number): Row {
    const { columns, joins } = modelOf(model);
    const selected: Row = Object.fromEntries(
      [...this.some(Object.keys(columns), 8), this.pick(Object.keys(columns))].map((name) => [name, true]),
    );
    if (depth === 0) return selected;
    for (const name of this.some(Object.keys(joins), 2)) {
      const join = joins[name];
      if (!join || !readModels.includes(join.model)) continue;
      if (join.list) selected[name] = this.args(join.model, depth - 1);
      else selected[name] = this.chance(0.2) ? true : { select: this.select(join.model, depth - 1) };
    }
    return selected;
  }

  private sortKeys(model: string): Row[] {
    const { columns, joins } = modelOf(model);
    const keys: Row[] = Object.entries(columns)
      .filter(([, { list, type }]) => !list && type !== 'Json')
      .map(([name, { required }]) => ({
        [name]: required || this.chance(0.5) ? this.direction() : { sort: this.direction(), nulls: this.nulls() },
      }));
    for (const [name, join] of Object.entries(joins)) {
      const hasId = readModels.includes(join.model) && 'id' in modelOf(join.model).columns;
      if (!join.list && hasId) keys.push({ [name]: { id: this.direction() } });
    }
    return keys;
  }

  private keyOrder(model: string): Row[] {
    return ['companyId', 'id', 'month', 'feature', 'tableName', 'rowId', 'seq']
      .filter((name) => name in modelOf(model).columns)
      .map((name) => ({ [name]: 'asc' }));
  }

  private direction = () => (this.chance(0.5) ? 'asc' : 'desc');
  private nulls = () => (this.chance(0.5) ? 'first' : 'last');
}

function modelOf(name: string): Model {
  const found = models[name];
  if (!found) throw new Error(`There is no model ${name}.`);
  return found;
}
