/** A type of the schema, as far as this module looks at it. */
interface SchemaType {
  readonly name?: string;
  /** Of a list, or of a type that is not null. */
  readonly ofType?: SchemaType;
  /** Of an enum. */
  getValues?(): unknown;
  /** Of an object. */
  getFields?(): Readonly<Record<string, { readonly name: string; readonly type: SchemaType }>>;
}

/**
 * Chooses the fields that GraphiQL inserts where a query selects none of an object: its own choice, except for lists,
 * which are read by `nodes`, and for keys of groups. By their `id`, which it would choose, each row is a group.
 */
export function defaultFieldNames(type: SchemaType): string[] {
  const fields = Object.values(type.getFields?.() ?? {});
  const names = fields.map(({ name }) => name);
  const leaves = fields.filter((field) => !namedType(field.type).getFields);
  if (type.name?.endsWith('Key')) {
    if (names.includes('month')) return ['month'];
    const find = (is: (type: SchemaType) => boolean) => fields.find((field) => is(namedType(field.type)));
    const chosen =
      find(({ getValues }) => getValues !== undefined) ??
      find(({ name, getFields }) => name !== 'ID' && !getFields) ??
      // A time, of which it is the month.
      find((inner) => inner.getFields?.()['month'] !== undefined) ??
      // A related row, of which it is one of these.
      find(({ name, getFields }) => getFields !== undefined && name !== 'NumberKey');
    return chosen ? [chosen.name] : [];
  }
  const preferred = ['id', 'nodes', 'edges', 'node'].find((name) => names.includes(name));
  return preferred === undefined ? leaves.map(({ name }) => name) : [preferred];
}

const namedType = (type: SchemaType): SchemaType => (type.ofType ? namedType(type.ofType) : type);
