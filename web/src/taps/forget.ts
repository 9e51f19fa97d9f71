// What this browser keeps for people without a network, and how it is forgotten. It has no library: whoever signs out
// loads it.

/** Begins the names of databases with the taps of a person in a company that were not sent yet. */
const prefix = 'premises-taps';

/** Who taps, and for which company. */
export interface Owner {
  readonly personId: string;
  readonly companyId: string;
}

/** The name of the database with the taps of a person in a company. */
export const databaseOf = ({ personId, companyId }: Owner): string => `${prefix} ${personId} ${companyId}`;

/** The names of the databases that have taps. @param personId of those who have tapped; by default, anybody */
export async function databasesWithTaps(personId = ''): Promise<string[]> {
  const databases = 'indexedDB' in window ? await indexedDB.databases() : [];
  return databases.flatMap(({ name }) => (name?.startsWith(`${prefix} ${personId}`) ? [name] : []));
}

const countIn = (name: string) =>
  new Promise<number>((resolve, reject) => {
    const opening = indexedDB.open(name);
    opening.addEventListener('error', () => reject(new Error('The taps cannot be read.')));
    opening.addEventListener('success', () => {
      const counting = opening.result.transaction('taps').objectStore('taps').count();
      counting.addEventListener('success', () => {
        opening.result.close();
        resolve(counting.result);
      });
    });
  });

/** How many taps of all people this browser has not sent yet. */
export async function countTaps(): Promise<number> {
  const counts = await Promise.all((await databasesWithTaps()).map(countIn));
  return counts.reduce((sum, count) => sum + count, 0);
}

const remove = (name: string) =>
  new Promise<void>((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    // Other tabs close theirs as they are asked to. One that does not, as it is frozen, loses it when it wakes.
    for (const event of ['success', 'error', 'blocked']) request.addEventListener(event, () => resolve());
  });

/** Forgets what a person has tapped, and what is shown without a network. */
export async function forgetPerson(personId: string): Promise<void> {
  await Promise.all((await databasesWithTaps(personId)).map(remove));
  if (!('serviceWorker' in navigator)) return;
  const registrations = await navigator.serviceWorker.getRegistrations();
  await Promise.all(registrations.map((registration) => registration.unregister()));
  await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
}
