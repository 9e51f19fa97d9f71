// The taps that were not sent yet, in the order in which they were made. Each person has a database in each company.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { databaseOf, type Owner } from './forget.ts';
import type { TapName } from './operations.ts';
import { type ShownWork, shownKey, shownStore } from './shown.ts';

/** Something that a person did, to be sent to the service. */
export interface Tap {
  /** The place in the order. */
  readonly order: number;
  /** Has the service do it once, however often it is sent. */
  readonly key: string;
  /** The time of the tap. */
  readonly at: string;
  readonly name: TapName;
  /** The row that it is about: later taps on it wait for this one. */
  readonly row: string;
  /** What it is about, as the list of taps calls it. */
  readonly label: string;
  readonly variables: Variables;
  /** Why the service has refused it. */
  readonly problem?: string;
  /** How often the service has failed at it, and when (ms) it did last. */
  readonly failures?: { readonly count: number; readonly at: number };
}

/** What an operation is given: the ids that it names, and the input. */
export interface Variables {
  readonly id?: string;
  readonly checklistId?: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface Schema extends DBSchema {
  taps: { key: number; value: Omit<Tap, 'order'> & { order?: number } };
  /** The tasks of a checklist that are ticked, by checklist and day. */
  ticks: { key: string; value: readonly string[] };
  shown: { key: string; value: ShownWork };
}

const opened = new Map<string, Promise<IDBPDatabase<Schema>>>();

/** The database of a person in a company. It is closed when another tab deletes it, as the person signs out. */
function open(owner: Owner): Promise<IDBPDatabase<Schema>> {
  const name = databaseOf(owner);
  const known = opened.get(name);
  if (known) return known;
  const database = openDB<Schema>(name, 2, {
    upgrade(fresh, before) {
      if (before < 1) {
        fresh.createObjectStore('taps', { keyPath: 'order', autoIncrement: true });
        fresh.createObjectStore('ticks');
      }
      fresh.createObjectStore(shownStore);
    },
    blocking: (_current, _blocked, event) => {
      opened.delete(name);
      // The connection that is asked to close.
      (event.target as IDBDatabase).close();
    },
    terminated: () => opened.delete(name),
  });
  opened.set(name, database);
  database.catch(() => opened.delete(name));
  return database;
}

/** The taps that were not sent yet, in their order. */
export const listTaps = async (owner: Owner): Promise<readonly Tap[]> =>
  // Each has the number that the database gave it.
  (await (await open(owner)).getAll('taps')) as readonly Tap[];

/** Keeps a tap until it is sent. */
export const addTap = async (owner: Owner, tap: Omit<Tap, 'order'>): Promise<unknown> =>
  (await open(owner)).add('taps', tap);

/** Changes a tap that has not been removed meanwhile. */
export async function changeTap(owner: Owner, order: number, change: (tap: Tap) => Tap): Promise<void> {
  const transaction = (await open(owner)).transaction('taps', 'readwrite');
  const known = await transaction.store.get(order);
  if (known) await transaction.store.put(change(known as Tap));
  await transaction.done;
}

/** Removes a tap, as it was sent or is no longer wanted. */
export const removeTap = async (owner: Owner, order: number): Promise<void> =>
  (await open(owner)).delete('taps', order);

/** Keeps the work that a page shows, in place of what was shown before. */
export const writeShownWork = async (owner: Owner, work: ShownWork): Promise<unknown> =>
  (await open(owner)).put(shownStore, work, shownKey);

const tickKey = (checklistId: string, day: string) => `${day} ${checklistId}`;

/** The ticked tasks of a checklist on a day. */
export const readTicks = async (owner: Owner, checklistId: string, day: string): Promise<readonly string[]> =>
  (await (await open(owner)).get('ticks', tickKey(checklistId, day))) ?? [];

/** Keeps the ticked tasks of a checklist on a day, and forgets those of earlier days. */
export async function writeTicks(owner: Owner, checklistId: string, day: string, ids: readonly string[]) {
  const transaction = (await open(owner)).transaction('ticks', 'readwrite');
  await transaction.store.delete(IDBKeyRange.upperBound(day, true));
  await transaction.store.put(ids, tickKey(checklistId, day));
  await transaction.done;
}
