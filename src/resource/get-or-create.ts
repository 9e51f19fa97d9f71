/** Returns the value of a key, and creates it on first use. @param create receives the key */
export function getOrCreate<Value>(values: Map<string, Value>, key: string, create: (key: string) => Value): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const value = create(key);
  values.set(key, value);
  return value;
}
