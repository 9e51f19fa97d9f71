import type { Where } from './conditions.ts';
import type { Compiled, FindArgs } from './find.ts';
import type { Access, RowFilter, StatementAccess } from './row-access.ts';
import { Shape } from './shape.ts';
import { Slot } from './slot.ts';

/**
 * The most bytes of statements that are kept: about two thousand of 4 KB. That is more than an instance sends again
 * and again: a connection keeps at most five hundred of them prepared.
 */
const maxBytes = 8_000_000;

/** A read of a model's rows, and how it is compiled. */
export interface Read<Result> {
  /** Its name, among the reads of a plan. */
  readonly kind: string;
  readonly compile: (access: StatementAccess, model: string, args: FindArgs, counted: Where) => Compiled<Result>;
}

/** The statements of a plan. */
interface PlanStatements {
  /** The row filters that they have asked for, in order. */
  readonly filters: Map<string, readonly [model: string, type: string | undefined]>;
  readonly byShape: Map<string, Kept>;
  /** The same, for places of the statements. */
  readonly weak: WeakRef<Map<string, Kept>>;
}

/** A statement with slots for its values. */
interface Kept {
  readonly compiled: Compiled<unknown>;
  readonly place: Place;
}

/** Where a statement is kept. */
interface Place {
  readonly statements: WeakRef<Map<string, Kept>>;
  readonly shape: string;
  readonly bytes: number;
}

/**
 * Keeps the statements of plans: each is compiled once for all requests whose arguments have the same shape. They are
 * kept with their plan, and go with it; of those of all plans, the least recently used go when there are too many.
 */
export class KeptStatements {
  private readonly plans = new WeakMap<object, PlanStatements>();
  /** The last is the most recently used. */
  private readonly places = new Set<Place>();
  private bytes = 0;

  constructor(private readonly most = maxBytes) {}

  /** The length of all statements and shapes, also of those whose plan has gone since their last use. */
  get size(): number {
    return this.bytes;
  }

  /**
   * Finds the statement of a read, or compiles it.
   *
   * @param plan stands for what `args` select
   * @param read compiles slots in place of values, so that none can become part of the text
   */
  find<Result>(
    plan: object,
    access: Access,
    model: string,
    args: FindArgs,
    { kind, compile }: Read<Result>,
    counted?: Where,
  ): Compiled<Result> {
    const { filters, byShape, weak } = this.statementsOf(plan);
    const shape = new Shape(`${kind} ${model} `);
    const found = new Map<string, Where | undefined>();
    // The shape has the filters that any statement of the plan has asked for, and those that this one asks for.
    const filterOf: RowFilter = (name, type) => {
      const key = `${name} ${type}`;
      if (!found.has(key)) {
        const filter = access.filterOf(name, type);
        if (filter) shape.text += key;
        found.set(key, filter && shape.where(filter));
        filters.set(key, [name, type]);
      }
      return found.get(key);
    };
    const slots = [shape.access(access, filterOf), shape.find(args), counted && shape.where(counted)] as const;
    for (const [name, type] of filters.values()) filterOf(name, type);
    let kept = byShape.get(shape.text);
    if (kept) this.places.delete(kept.place);
    else {
      const compiled = compile(slots[0], model, slots[1], slots[2] ?? {});
      // Its text may have grown by filters.
      const { text } = shape;
      const place = { statements: weak, shape: text, bytes: text.length + compiled.text.length };
      kept = { compiled, place };
      byShape.set(text, kept);
      this.bytes += place.bytes;
    }
    this.places.add(kept.place);
    this.dropOldest();
    const { compiled } = kept;
    // A plan has its own compiler.
    return {
      ...compiled,
      values: compiled.values.map((value) => (value instanceof Slot ? value.fill(shape.values) : value)),
    } as Compiled<Result>;
  }

  private statementsOf(plan: object): PlanStatements {
    let known = this.plans.get(plan);
    if (!known) {
      const byShape = new Map<string, Kept>();
      known = { filters: new Map(), byShape, weak: new WeakRef(byShape) };
      this.plans.set(plan, known);
    }
    return known;
  }

  private dropOldest(): void {
    for (const place of this.places) {
      if (this.bytes <= this.most) return;
      this.places.delete(place);
      this.bytes -= place.bytes;
      place.statements.deref()?.delete(place.shape);
    }
  }
}
