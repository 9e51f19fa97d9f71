/** Makes something when it is first wanted, and keeps it. */
export function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
