// The work that a person has seen last, as text, for when there is no network. Like forget.ts it has no library, as the
// document that is shown then has few files.
import { databasesWithTaps } from './forget.ts';

/** The assigned work of a person as a page has shown it. */
export interface ShownWork {
  /** When it was read. */
  readonly at: string;
  readonly person: string;
  readonly company: string;
  readonly items: readonly {
    readonly title: string;
    /** What stands below the title, such as where it is. */
    readonly below: string;
  }[];
}

/** The store of a person's database that has it, under its only key. */
export const shownStore = 'shown';
export const shownKey = 'work';

const readFrom = (name: string) =>
  new Promise<ShownWork | undefined>((resolve, reject) => {
    const opening = indexedDB.open(name);
    opening.addEventListener('error', () => reject(new Error('The work cannot be read.')));
    opening.addEventListener('success', () => {
      const database = opening.result;
      const finish = (work?: ShownWork) => {
        database.close();
        resolve(work);
      };
      // Databases of earlier releases have none.
      if (!database.objectStoreNames.contains(shownStore)) return finish();
      const reading = database.transaction(shownStore).objectStore(shownStore).get(shownKey);
      reading.addEventListener('success', () => finish(reading.result as ShownWork | undefined));
      reading.addEventListener('error', () => finish());
    });
  });

/** The work that was read last in this browser, by whomever. */
export async function readShownWork(): Promise<ShownWork | undefined> {
  const found = await Promise.all((await databasesWithTaps()).map(readFrom));
  return found.flatMap((work) => work ?? []).sort((one, other) => other.at.localeCompare(one.at))[0];
}
