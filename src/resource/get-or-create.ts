/** A Map or a WeakMap. */
interface Known<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** Returns the value of a key, and creates it on first use. @param create receives the key */
export function getOrCreate<Key, Value>(values: Known<Key, Value>, key: Key, create: (key: Key) => Value): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const value = create(key);
  values.set(key, value);
  return value;
}
