// Which column of a file is which field of a resource.
import { type FieldErrors, validationError } from '../errors.ts';
import type { FieldType } from '../fields/index.ts';
import { suggest } from '../input/index.ts';
import { snakeCase } from '../names.ts';
import { isApiField, listOf, type Resource, requiredOfClient, type Stored, storedField } from '../resource/index.ts';
import { findList, type ItemList, itemLists } from './lists.ts';
import { type FieldNames, type FoundField, fieldNames, importedFields, keysOfRows, plainName } from './names.ts';
import { refuseFile } from './table.ts';
import type { ImportApi, ImportTarget, Mode } from './target.ts';

/** What a client says about columns: a field by a header or a position (from 1), or null for none. */
export type Mapping = Readonly<Record<string, string | null>>;

/** A column of a file that is read. */
export interface ImportColumn extends FoundField {
  /** Its place, from 0. */
  readonly at: number;
  readonly header: string;
}

/** The columns of a list of new rows: one for each field of an item, or one that has all items as JSON. */
export interface ListColumns {
  readonly list: ItemList;
  readonly columns: readonly ImportColumn[];
  readonly whole?: Pick<ImportColumn, 'at' | 'header'>;
}

/** The columns of a file. */
export interface ColumnMap {
  readonly columns: readonly ImportColumn[];
  readonly lists: readonly ListColumns[];
  /** The place of the ETags that rows must have. */
  readonly etagAt?: number;
  /** The headers of columns that are not read: those that clients only read. */
  readonly ignored: readonly string[];
}

/** The column that a file of errors has besides those of the imported one. */
export const errorColumn = 'import_errors';

/** A column of a template, with the type of its values; lists are written as text. */
export interface TemplateColumn {
  readonly name: string;
  readonly type: FieldType | undefined;
}

function templateColumn(rows: Stored, name: string, place = ''): TemplateColumn {
  const field = storedField(rows, name);
  return { name: snakeCase(place + name), type: isApiField(field) && !field.list ? field.type : undefined };
}

/**
 * The columns that a file can have, without those of rows below.
 *
 * @throws ServiceError VALIDATION_ERROR for rows that are not written so
 */
export function templateOf(target: ImportTarget): TemplateColumn[] {
  assertWritable(target);
  const { resource, mode } = target;
  const own = importedFields(target).map((name) => templateColumn(resource, name));
  const items = mode === 'update' ? [] : Object.entries(resource.nestedItems);
  const ofItems = items.flatMap(([relation, fields]) =>
    fields.map((name) => templateColumn(listOf(resource, relation).target, name, `${relation}.`)),
  );
  return [...own, ...ofItems];
}

/** The columns of a file as far as their fields are known, and what is wrong with the others. */
export interface FoundColumns {
  readonly map: ColumnMap;
  readonly errors: FieldErrors;
}

/** Finds the field of each column; `assertColumns` refuses what is wrong with them. */
export function findColumns(
  target: ImportTarget,
  api: ImportApi,
  header: readonly string[],
  mapping: Mapping = {},
): FoundColumns {
  const { resource, mode } = target;
  assertWritable(target);
  const names = fieldNames(resource, importedFields(target), { ...api, type: resource.type });
  const lists = new Lists(mode, itemLists(resource, api));
  const columns: ImportColumn[] = [];
  const errors = mappingErrors(mapping, header);
  const ignored: string[] = [];
  const taken = new Map<string, string>();
  let etagAt: number | undefined;
  for (const [at, title] of header.entries()) {
    const position = String(at + 1);
    const given = mapping[title] ?? mapping[position] ?? undefined;
    const isLeftOut = given === undefined && (mapping[title] === null || mapping[position] === null || title === '');
    if (isLeftOut) continue;
    const name = given ?? title;
    // A file of errors can be corrected and imported again.
    if (title === errorColumn) continue;
    if (plainName(name) === 'etag') {
      etagAt = at;
      continue;
    }
    const found = names.find(name);
    if (found) {
      // An export has a summary beside some references: `vendor_id`, and `vendor` as JSON.
      if (!isField(name, found) && names.isShown(name) && header.some((each) => isField(each, found))) {
        ignored.push(title);
        continue;
      }
      const other = taken.get(found.field.name);
      if (other !== undefined) errors[`columns.${at + 1}`] = `is the same field as the column ${other}`;
      taken.set(found.field.name, title);
      columns.push({ at, header: title, ...found });
      continue;
    }
    const problem = lists.add({ at, header: title }, name);
    if (problem !== undefined) errors[`columns.${at + 1}`] = problem;
    else if (!lists.has(at)) {
      if (names.isShown(name.split('.')[0] ?? '')) ignored.push(title);
      else errors[`columns.${at + 1}`] = noSuchField(name, names);
    }
  }
  return { map: { columns, lists: lists.found(), ignored, ...(etagAt !== undefined && { etagAt }) }, errors };
}

const isField = (name: string, { field }: FoundField): boolean => plainName(name) === plainName(field.name);

/** What is wrong with the name of a field. */
export const noSuchField = (name: string, { all }: FieldNames): string =>
  `there is no field ${name.slice(0, 100)} to write${suggest(snakeCase(name), all)}`;

/** Finds the columns of lists. */
class Lists {
  private readonly byRelation = new Map<string, { list: ItemList; columns: ImportColumn[]; whole?: ImportPlace }>();

  constructor(
    private readonly mode: Mode,
    private readonly lists: readonly ItemList[],
  ) {}

  /** Takes a column, if it is one of a list. @returns what is wrong with it */
  add(place: ImportPlace, name: string): string | undefined {
    const [first = '', ...rest] = name.split('.');
    const list = findList(this.lists, first);
    if (!list) return undefined;
    const known = this.byRelation.get(list.relation) ?? { list, columns: [] };
    const other = known.whole ?? (rest.length === 0 ? known.columns[0] : undefined);
    if (other) return `is of the same list as the column ${other.header}`;
    this.byRelation.set(list.relation, known);
    if (rest.length === 0) {
      known.whole = place;
      return undefined;
    }
    if (this.mode === 'update') return `only new rows can have ${list.rows.words.many}`;
    const field = rest.join('.');
    const found = list.names.find(field);
    if (!found) {
      if (findList(list.lists(), rest[0] ?? '')) return 'is nested too deeply for a column: NDJSON has such rows';
      return list.names.isShown(rest[0] ?? '') ? undefined : noSuchField(field, list.names);
    }
    const same = known.columns.find((column) => column.field.name === found.field.name);
    if (same) return `is the same field as the column ${same.header}`;
    known.columns.push({ ...place, ...found });
    return undefined;
  }

  has(at: number): boolean {
    return this.found().some(({ whole, columns }) => [whole, ...columns].some((each) => each?.at === at));
  }

  found(): readonly ListColumns[] {
    return [...this.byRelation.values()].filter(({ whole, columns }) => whole !== undefined || columns.length > 0);
  }
}

type ImportPlace = Pick<ImportColumn, 'at' | 'header'>;

function mappingErrors(mapping: Mapping, header: readonly string[]): FieldErrors {
  const errors: FieldErrors = {};
  for (const name of Object.keys(mapping)) {
    const position = /^\d+$/.test(name) ? Number(name) : 0;
    if (!header.includes(name) && !(position >= 1 && position <= header.length))
      errors[`mapping.${name}`] = `there is no such column${suggest(name, header)}`;
  }
  return errors;
}

/** @throws ServiceError for rows that nobody creates, or changes */
export function assertWritable({ resource: { actions, words }, mode }: ImportTarget): void {
  const needed = mode === 'insert' ? ['create'] : mode === 'update' ? ['update'] : ['create', 'update'];
  if (needed.every((action) => actions.some((each) => each === action))) return;
  throw validationError({
    mode: `cannot be ${mode}: ${words.many} are not ${mode === 'insert' ? 'created' : 'changed'} so`,
  });
}

/**
 * @throws ServiceError VALIDATION_ERROR that names the columns which are no fields, or are one twice, or that rows need
 */
export function assertColumns(target: ImportTarget, { map: { columns }, errors }: FoundColumns): void {
  const { resource, mode, key = ['id'] } = target;
  if (Object.keys(errors).length > 0) throw validationError(errors);
  const has = (name: string) => columns.some(({ field }) => field.name === name);
  const unknown = mode === 'insert' ? [] : key.filter((name) => !has(name));
  if (unknown.length > 0)
    throw refuseFile(`has no column ${unknown.map(snakeCase).join(', ')}, by which stored rows are found`);
  if (mode === 'update') return;
  const required = [...requiredOfClient(resource), ...(resource.parent ? [resource.parent.column] : [])];
  const missing = required.filter((name) => !has(name));
  if (missing.length > 0) throw refuseFile(`has no column ${missing.map(snakeCase).join(', ')}, which new rows need`);
}

/**
 * The fields of the key of an import.
 *
 * @param given their names in either spelling, separated by commas
 * @throws ServiceError for fields that name no rows
 */
export function keyOf(resource: Resource, given: string): readonly string[] {
  const keys = keysOfRows(resource);
  const inOrder = (names: readonly string[]) => names.map(plainName).toSorted().join();
  const wanted = inOrder(given.split(','));
  const found = keys.find((names) => inOrder(names) === wanted);
  if (found) return found;
  const [one, several] = [keys.filter(({ length }) => length === 1), keys.filter(({ length }) => length > 1)];
  const spelled = (names: readonly string[]) => names.map(snakeCase).join(',');
  const more = several.map((names) => ` or ${spelled(names)}`).join('');
  throw validationError({ key: `must be one of ${one.map(spelled).join(', ')}${more}` });
}
