import type { Prisma, PrismaClient } from '../database/generated/client/client.ts';
import type { Ids } from './people.ts';
import type { BuildingCode } from './places.ts';
import { uuid7, workingTime } from './timeline.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** Says what to insert for one seedRows of the demo, in an order that references allow. */
export type Seed = (prisma: PrismaClient, seed: SeedContext) => Prisma.PrismaPromise<unknown>[];

/** A company that is being seeded: whose rows, as of when, and what there is by now for others to refer to. */
export class SeedContext {
  private readonly ids = new Map<string, string>();

  /** @param buildingIds the company's buildings, by code */
  constructor(
    readonly companyId: string,
    readonly user: Ids,
    readonly now: Date,
    private readonly buildingIds: ReadonlyMap<string | null, string>,
  ) {}

  /** What every row begins with. Later ones refer to it by `name`, if it has one. */
  row(at: Date, name?: string) {
    const key = this.key(at);
    if (name !== undefined) {
      if (this.ids.has(name)) throw new Error(`the demo has two rows by the name of ${name}`);
      this.ids.set(name, key.id);
    }
    return { ...key, createdAt: at, updatedAt: at };
  }

  /** What a line of a row begins with. */
  key(at: Date) {
    return { companyId: this.companyId, id: uuid7(at) };
  }

  /** The id of the row that was made by a name. */
  id(name: string): string {
    const id = this.ids.get(name);
    if (id === undefined) throw new Error(`the demo has no row by the name of ${name}`);
    return id;
  }

  /** The id of a building; null when the company does not have it. */
  building(code: BuildingCode | undefined): string | null {
    return this.buildingIds.get(code ?? null) ?? null;
  }

  /** The working hour that many days before now. */
  ago(days: number): Date {
    return workingTime(new Date(this.now.getTime() - days * day), -hour);
  }

  /** The same, but not before a row was made: working hours may be at the same end of a weekend. */
  since({ createdAt }: { createdAt: Date }, days: number): Date {
    return new Date(Math.max(createdAt.getTime(), this.ago(days).getTime()));
  }

  /** The calendar day that many days from today, or from another time (UTC). */
  date(days: number, from = this.now): Date {
    return new Date(Math.floor(from.getTime() / day) * day + days * day);
  }

  /** A time of the day that many days from today (UTC). */
  time(days: number, hours: number): Date {
    return new Date(this.date(days).getTime() + hours * hour);
  }
}
