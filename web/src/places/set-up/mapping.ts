// Which column of a file is which field, as people choose it and as the API takes it.
import type { FileImport, UpdateImportInput } from '../../api/imports.ts';
import type { Collection, Definition, Input } from '../../console/definitions.ts';
import { locale } from '../../texts/texts.ts';

/** A field that a column can be. */
export interface ColumnField {
  /** As the API takes it: `companyName`, or `lineItems.quantity` of an item. */
  readonly value: string;
  readonly label: string;
}

/** What was chosen for columns, by their position; null is a column that is not read. */
export type Chosen = ReadonlyMap<number, string | null>;

type Column = FileImport['columns'][number];

/** What the API calls a resource in its enum of resources: `INVENTORY_ITEMS` for `inventoryItems`. */
export const importName = ({ listField }: Pick<Collection, 'listField'>): string =>
  (listField ?? '').replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** What REST calls it: `inventory_items`. */
export const importPathName = (collection: Pick<Collection, 'listField'>): string =>
  importName(collection).toLowerCase();

/** The fields that columns can be: those of new rows, and of the items of their lists. */
export function columnFields(input: readonly Input[]): ColumnField[] {
  const ofItems = ({ name, label, fields }: Input) =>
    fields.map((field) => ({ value: `${name}.${field.name}`, label: `${label}: ${field.label}` }));
  const own = input.filter(({ control, fields }) => control !== 'ITEMS' || fields.length === 0);
  const lists = input.filter(({ control }) => control === 'ITEMS');
  return [...own.map(({ name, label }) => ({ value: name, label })), ...lists.flatMap(ofItems)];
}

/** Words as a list: "one and other". */
const listed = (words: readonly string[]) => new Intl.ListFormat(locale()).format(words);

/** The fields by which stored rows may be found. The service says so where it takes another one. */
export function keyFields({ fields, titleField }: Pick<Definition, 'fields' | 'titleField'>): ColumnField[] {
  const names = ['code', 'sku', 'serialNumber', 'number', 'email', titleField];
  const found = fields.filter(({ name }) => names.includes(name));
  const external = fields.filter(({ name }) => name === 'externalSource' || name === 'externalId');
  return [
    ...found.map(({ name, label }) => ({ value: name, label })),
    ...(external.length === 2
      ? [{ value: 'externalSource,externalId', label: listed(external.map(({ label }) => label)) }]
      : []),
    { value: 'id', label: 'ID' },
  ];
}

/** The field of a column: the one that was chosen, or the one that the service has found. */
export const fieldOfColumn = ({ position, field }: Column, chosen: Chosen): string | null => {
  const given = chosen.get(position);
  return given === undefined ? field : given;
};

/** What to tell the service about all columns. What nobody has chosen a field for is not read. */
export const mappingOf = (columns: readonly Column[], chosen: Chosen): NonNullable<UpdateImportInput['mapping']> =>
  columns.flatMap((column) => {
    // Its header says by which field a related row is named, such as `building.code`.
    if (column.by !== null && !chosen.has(column.position)) return [];
    return [{ column: String(column.position), field: fieldOfColumn(column, chosen) }];
  });

/** What is wrong with a column, by its position, and with the file as a whole. */
export function problemsOfFile({ errorDetails }: Pick<FileImport, 'errorDetails'>) {
  // The scalar of the API is an object of texts.
  const details = Object.entries((errorDetails ?? {}) as Readonly<Record<string, string>>);
  const byColumn = new Map(
    details.flatMap(([path, text]) => {
      const [, position] = /^columns\.(\d+)$/.exec(path) ?? [];
      return position === undefined ? [] : [[Number(position), text] as const];
    }),
  );
  const others = details.flatMap(([path, text]) => (path.startsWith('columns.') ? [] : [{ path, text }]));
  return { byColumn, others };
}

/** Whether the service is working on an import. */
export const isUnderway = ({ status }: Pick<FileImport, 'status'>): boolean =>
  ['CHECKING', 'IMPORTING', 'CANCELLING'].includes(status);
