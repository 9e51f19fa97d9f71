// Where the values of a field are stored: in a column, or in a member of the JSON that a column has. Whoever reads,
// compares or writes a field asks it for SQL; only this file knows the places.
import type { FieldType, Limits, StoredType } from '../fields/index.ts';
import { stringifyJson } from '../json.ts';

/**
 * What a field is in every model that has one: the company of a row, its key, the time of its creation and of its last
 * update, the status whose periods are kept, what another system calls the row, and the files that are attached to it.
 * A model has at most one of each.
 */
export type Role =
  | 'company'
  | 'key'
  | 'creation'
  | 'update'
  | 'status'
  | 'externalSource'
  | 'externalId'
  | 'attachments';

/** The fields of a model that have a role. */
export type Roles = Readonly<Partial<Record<Role, StoredField>>>;

/** What is known of a stored field, wherever it is. */
interface FieldFacts extends Limits {
  /** The model whose rows have it. */
  readonly model: string;
  /** Its name in conditions, selections and rows. */
  readonly name: string;
  /** The type of its values. */
  readonly type: StoredType;
  /** The type of the items of a list; otherwise that of the values. */
  readonly itemType: StoredType;
  /** Whether the database or Prisma fills it when a create leaves it out. */
  readonly hasDefault: boolean;
  /** The default, if it is a constant. */
  readonly default?: string | number | boolean;
  /** Whether the default is the time, or the day, of the write. */
  readonly now?: boolean;
  readonly role?: Role;
  /** The model whose rows its values refer to, and the relation to them. */
  readonly references?: string;
  readonly relation?: string;
  /** Whether another field refers to the same model before it, as the source of a transfer before its target. */
  readonly repeatsReference?: boolean;
  /** Its description. */
  readonly documentation?: string;
  /** What people call it, where that is not its name with spaces. */
  readonly label?: string;
  /** An example value in JSON. */
  readonly example?: string | number | null;
}

/** A row as the database has it, by the names of its columns. */
type Image = Readonly<Record<string, unknown>>;

/** A field of the rows of a model, with the place of its values. */
export interface StoredField extends FieldFacts {
  /** The column that has its values, by its name in the database. */
  readonly column: string;
  /** The member of the column's JSON that has its values; undefined where the whole column is the field. */
  readonly member?: string;
  /** The SQL of its value, in the row of an alias. */
  readonly sql: (alias: string) => string;
  /** Its value in the image of a row that the log of changes has; null where it has none. */
  readonly inImage: (image: Image) => unknown;
  /** Whether an update that changed these columns has changed it, by the images before and after. */
  readonly isChanged: (columns: readonly string[], before: Image, after: Image) => boolean;
}

/** A stored field whose type the API has. */
export interface ApiField extends StoredField {
  readonly type: FieldType;
}

/** Whether the values of a field refer to users. */
export const isUserReference = (field: StoredField | undefined): boolean => field?.references === 'User';

/** A field that is a column. @param column its name in the database */
export const columnField = (facts: FieldFacts, column: string): StoredField => ({
  ...facts,
  column,
  sql: (alias) => `${alias}."${column}"`,
  inImage: (image) => image[column] ?? null,
  isChanged: (columns) => columns.includes(column),
});

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * A field that is a member of the JSON of a column, which rows need not have.
 *
 * @param column the column, of type jsonb, by its name in the database
 * @param member the member's name
 */
export function memberField(
  facts: FieldFacts & { readonly type: FieldType },
  column: string,
  member: string,
): ApiField {
  const inImage = ({ [column]: json }: Image): unknown =>
    (typeof json === 'object' && json !== null ? (json as Image)[member] : null) ?? null;
  return {
    ...facts,
    column,
    member,
    sql: (alias) => `(${alias}."${column}" ->> ${literal(member)})::${facts.type.sqlType}`,
    inImage,
    // Members that a definition can have are scalars, whose texts are as equal as they are.
    isChanged: (columns, before, after) =>
      columns.includes(column) && stringifyJson(inImage(before)) !== stringifyJson(inImage(after)),
  };
}

/**
 * The columns that a write sets, with their SQL. Members of one column are written together, and leave its other
 * members as they are.
 *
 * @param values the fields, each with the SQL of its new value
 * @param alias the row that is updated; undefined for a new one
 */
export function columnsToSet(
  values: readonly (readonly [field: StoredField, sql: string])[],
  alias?: string,
): [column: string, sql: string][] {
  if (values.every(([{ member }]) => member === undefined)) return values.map(([{ column }, sql]) => [column, sql]);
  const columns = new Map<string, string>();
  const members = new Map<string, string[]>();
  for (const [{ column, member }, sql] of values) {
    if (member === undefined) columns.set(column, sql);
    // An object of each, as PostgreSQL's functions take up to 100 arguments.
    else members.set(column, [...(members.get(column) ?? []), `jsonb_build_object(${literal(member)}, ${sql})`]);
  }
  for (const [column, given] of members) {
    const whole = columns.get(column) ?? (alias === undefined ? undefined : `${alias}."${column}"`);
    columns.set(column, [...(whole === undefined ? [] : [`coalesce(${whole}, '{}')`]), ...given].join(' || '));
  }
  return [...columns];
}
