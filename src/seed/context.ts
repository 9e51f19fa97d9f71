import { type Context, createContext } from '../context.ts';
import type { Prisma } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import {
  type Column,
  changeRow,
  createRow,
  type ModelName,
  type NewRows,
  type Resource,
  type Row,
  type Shape,
} from '../resource/index.ts';
import { api } from '../schema/index.ts';
import { coordinator, type Ids, type Person } from './people.ts';
import type { BuildingCode } from './places.ts';
import { workingTime } from './working-time.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Writes the rows of one part of the demo. */
export type Seed = (seed: SeedContext) => Promise<void>;

/** A client's input for a row, with numbers in place of decimals. */
type Input<Model extends ModelName> = {
  readonly [Name in Column<Model>]?: Shape<Model>[Name] extends infer Value
    ? Value extends Prisma.Decimal
      ? number
      : Value
    : never;
} & { readonly lineItems?: readonly Row[] };

/** The author and time of a write. */
interface Write {
  /** The time of the write. */
  readonly at: Date;
  /** The author; by default the coordinator. */
  readonly by?: Person;
}

interface Create extends Write {
  /** The name by which other seeds refer to the row. */
  readonly name?: string;
  /** The parent's id, for a sub-resource. */
  readonly parentId?: string;
}

/**
 * A company that is being seeded, and the rows created so far, for references. `create` and `update` take the steps of
 * an admin's write, with its checks and hooks, dated in the past; only the reader of input is left out.
 */
export class SeedContext {
  private readonly ids = new Map<string, string>();
  /** When rows were written last, by id. */
  private readonly writtenAt = new Map<string, Date>();

  /** @param user the ids of the demo's people */
  constructor(
    private readonly database: Database,
    readonly companyId: string,
    readonly user: Ids,
    readonly now: Date,
  ) {}

  /** Creates a row as a client does. @throws ServiceError as `createRow` does */
  async create<Model extends ModelName>(
    resource: NewRows<Model>,
    { name, parentId, ...write }: Create,
    input: Input<Model>,
  ): Promise<Shape<Model>> {
    const row = await createRow(resource, input, { parentId, context: this.as(write) });
    if (name !== undefined) this.name(name, String(row['id']));
    this.writtenAt.set(String(row['id']), write.at);
    // The kit knows its models only by name; without a selection it returns all columns.
    return row as Shape<Model>;
  }

  /**
   * Changes columns of a row as a client does, later than it was written before.
   *
   * @throws ServiceError as `changeRow` does
   */
  async update<Model extends ModelName>(
    resource: Resource<Model>,
    id: string,
    { at: wanted, by }: Write,
    input: Input<Model>,
  ): Promise<void> {
    const before = this.writtenAt.get(id);
    const at = before && wanted <= before ? new Date(before.getTime() + minute) : wanted;
    this.writtenAt.set(id, at);
    await changeRow(resource, { action: 'update', id, input }, { context: this.as({ at, by }) });
  }

  /** Creates the context of a person's request at a time. */
  as({ at, by = coordinator }: Write): Context {
    const { companyId, user } = this;
    const userId = user(by);
    // Only an admin may write some rows as of the past.
    const caller = { companyId, timeZone: 'UTC', userId, scopes: ['*'], role: 'ADMIN', rateLimit: 0 } as const;
    return createContext(this.database, {
      caller: { kind: 'session', id: userId, ...caller },
      storage: api.storage,
      requestId: 'seed',
      ip: '127.0.0.1',
      at,
    });
  }

  /** Sets the name by which other seeds refer to a row. */
  name(name: string, id: string): void {
    if (this.ids.has(name)) throw new Error(`the demo has two rows named ${name}`);
    this.ids.set(name, id);
  }

  /** The id of a named row. */
  id(name: string): string {
    const id = this.ids.get(name);
    if (id === undefined) throw new Error(`the demo has no row named ${name}`);
    return id;
  }

  /** The id of a building; null when the company does not have it. */
  building(code: BuildingCode | undefined): string | null {
    return (code && this.ids.get(code)) ?? null;
  }

  /** The working hour a number of days before now. */
  ago(days: number): Date {
    return workingTime(new Date(this.now.getTime() - days * day), -hour);
  }

  /** Like `ago`, but not before a row was created, as days around a weekend may have the same working hour. */
  since({ createdAt }: { readonly createdAt: Date }, days: number): Date {
    return new Date(Math.max(createdAt.getTime(), this.ago(days).getTime()));
  }

  /** The calendar day a number of days from today, or from another time (UTC). */
  date(days: number, from = this.now): Date {
    return new Date(Math.floor(from.getTime() / day) * day + days * day);
  }

  /** A time on the day a number of days from today (UTC). */
  time(days: number, hours: number): Date {
    return new Date(this.date(days).getTime() + hours * hour);
  }
}
