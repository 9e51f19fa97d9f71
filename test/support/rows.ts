// Creates valid rows of every resource of the schema, so that a new resource is tested once it is listed there.
import { randomUUID } from 'node:crypto';
import { getNamedType, isEnumType, isInputObjectType } from 'graphql';
import { isApiField, modelFacts, type StoredField } from '../../src/resource/index.ts';
import { agree } from './agree.ts';
import type { Client, Row } from './client.ts';
import { membersOf, startsOf, successorsOf } from './enum-values.ts';
import {
  type Collection,
  collections,
  columnsOf,
  deleteById,
  type Field,
  fieldsOf,
  inputFields,
  lowerFirst,
  modelOf,
  oneOfMany,
  operationOf,
  type RootField,
  restValuesOf,
  rootField,
  rootFields,
  rowType,
  shownFields,
  typeOf,
} from './resources.ts';
import type { Service, Tenant } from './service.ts';
import { insertFile } from './stored-files.ts';
import { alsoNeeded, scalar } from './values.ts';

/** Options of a row. */
interface Wish {
  /** Whether to set all fields rather than only required ones. */
  readonly full?: boolean;
  /** Values of certain fields, by GraphQL's names. */
  readonly values?: Row;
}

/** The methods of Prisma that the tests use for a model known only by name. */
interface Table {
  create(args: object): Promise<Row>;
  delete(args: object): Promise<Row>;
}

/**
 * The target of the values: either API, or the database, which also accepts values that no client may set initially.
 */
type Idiom = 'rest' | 'graphql' | 'stored';

/** References that a row has to itself. */
const exclusive = ['deskId', 'documentId'];
/** Whether a field must match the row that it refers to. */
export const isImplied = ({ name, target }: Field): boolean => target !== undefined && /^from[A-Z]/.test(name);

/** Users who are deactivated get nothing new to do. */
const active: Wish = { values: { deactivatedAt: null } };
/** Creates the rows of one company. */
export class Rows {
  private readonly counts = new Map<string, number>();
  private changes = 10;
  private readonly made = new Map<string, Promise<Row>>();

  private constructor(
    private readonly service: Service,
    readonly tenant: Tenant,
    /** The client that creates them, with all permissions. */
    readonly client: Client,
    private readonly companyId: string,
    /** Number of different rows of a model that references use. */
    private readonly referenced: number,
  ) {}

  /**
   * Rows of a company or, if not `live`, of its sandbox. `referenced` is the number of rows of a model that others
   * refer to.
   */
  static async of(service: Service, tenant: Tenant, live = true, referenced = 3): Promise<Rows> {
    const { id, sandbox } = tenant.company;
    return new Rows(service, tenant, await tenant.client(['*'], { live }), live ? id : sandbox.id, referenced);
  }

  /** Creates a row of a collection: by its POST, or else by its GraphQL mutation, or else in the database. */
  async make(collection: Collection, wish: Wish = {}): Promise<Row> {
    const type = typeOf(collection);
    if (type === 'Company') return { id: this.companyId };
    if (!collection.on.list && collection.on.read) return (await this.client.get(collection.path)).row;
    const parents = await this.parents(collection.path);
    if (collection.on.create) {
      const body = await this.body(collection.on.create.operation.field, wish);
      return (await this.client.post(fill(collection.path, parents), body)).row;
    }
    const create = rootFields('Mutation').find(
      ({ name, args }) =>
        name === `create${type}` && Object.keys(parents).every((parent) => args.some(({ name }) => name === parent)),
    );
    return create ? this.mutate(create.name, parents, wish) : this.insert(collection, wish);
  }

  /** A body for a root field's input, in REST's idiom by default. Every call has other values. */
  async body(field: string, { full = false, values = {} }: Wish = {}, idiom: Idiom = 'rest'): Promise<Row> {
    const root = rootField(field);
    const type = rowType(root.type).name;
    const shown = shownFields(type).map(({ name }) => name);
    // Fields without a column that are not returned are alternatives to columns.
    const wanted = inputFields(root).filter(
      (field) =>
        field.required ||
        field.name in values ||
        alsoNeeded[type]?.includes(field.name) ||
        // A row has the address of a file elsewhere, or a file that was sent.
        (full && (field.facts || shown.includes(field.name)) && !isImplied(field) && field.target !== 'File'),
    );
    return this.object(type, wanted, this.next(type), values, idiom);
  }

  /**
   * Valid arguments for a root field: `id` is that of a new row, deleted to be restored, unless `fresh` is false.
   */
  async variables(root: RootField, { fresh = true } = {}): Promise<Row> {
    const { name, type, args } = root;
    const variables: Row = {};
    const one = oneOfMany(root);
    if (one !== undefined) return this.variablesOfMany(root, one, fresh);
    // A history is of the row whose id it takes, and so are attachments.
    const named = rowType(type).name;
    const ending = { Change: 'History', FileConnection: 'Attachments', File: 'Attachments' }[named] ?? '';
    const isOfRow = ending !== '' && name.endsWith(ending);
    const rows = isOfRow ? name.charAt(0).toUpperCase() + name.slice(1, -ending.length) : named;
    for (const arg of args) {
      if (arg.name === 'input') variables[arg.name] = await this.body(name, {}, 'graphql');
      else if (arg.name === 'id' && fresh) variables[arg.name] = (await this.make(collectionOf(rows)))['id'];
      else if (getNamedType(arg.type).name === 'ID')
        variables[arg.name] = await this.reference(arg.name === 'id' ? rows : typeOfId(arg.name));
    }
    if (fresh && name.startsWith('restore')) await deleteById(this.client, rows, String(variables['id']));
    return variables;
  }

  /** The same for a root field of many rows: they are one. @param one the root field for one row */
  private async variablesOfMany({ args, extensions }: RootField, one: string, fresh: boolean): Promise<Row> {
    const field = rootField(one);
    const { id, input, ...parent } = await this.variables(field, { fresh });
    const below = Object.fromEntries(Object.entries(parent).filter(([name]) => args.some((arg) => arg.name === name)));
    if (extensions.action !== 'write') return { ...below, input, filter: { id: { eq: id } }, expectedCount: 1 };
    const write = one.startsWith('create') ? { create: input } : { update: input, id };
    return { ...below, input: { operations: [write] } };
  }

  /**
   * The input of an update that changes one field, to another value each time.
   *
   * @param current the row as `idiom` shows it; by default a new one
   */
  async change(field: string, idiom: Idiom = 'rest', current: Row = {}): Promise<Row> {
    const root = rootField(field);
    const inIdiom = ({ name, rest }: { name: string; rest: string }) => (idiom === 'rest' ? rest : name);
    const single = inputFields(root).filter(
      // A row has both parts of an external id or none.
      (each) => !isImplied(each) && !each.list && !/^external(Source|Id)$/.test(each.name),
    );
    const text = single.find(({ type }) => type.name === 'String');
    const number = single.find(({ type }) => /^(Int|Float)$/.test(type.name));
    if (!text && number) return { [inIdiom(number)]: ++this.changes };
    for (const choice of text ? [] : single.filter(({ type }) => isEnumType(type))) {
      const values = membersOf(choice.type);
      const shown = idiom === 'rest' ? restValuesOf(choice.type) : values;
      const from = values[shown.indexOf(String(current[inIdiom(choice)]))];
      const next = successorsOf(rowType(root.type).name, choice, from);
      const value = next[++this.changes % next.length];
      // A final status has no next one.
      if (value !== undefined) return { [inIdiom(choice)]: shown[values.indexOf(value)] };
    }
    const others = text ? [text] : single.filter(({ type }) => !isEnumType(type));
    if (others.length === 0 && idiom === 'rest') return { external_source: 'x', external_id: String(++this.changes) };
    if (others.length === 0) return { externalSource: 'x', externalId: String(++this.changes) };
    // Dates and references repeat after some rows, so that one body may have the current ones.
    for (let attempt = 0; attempt < 5; attempt++) {
      const body = await this.body(field, { full: true }, idiom);
      const other = others.map(inIdiom).find((name) => body[name] !== current[name]);
      if (other !== undefined) return { [other]: body[other] };
    }
    throw new Error(`${field} has nothing to change`);
  }

  /** The ids for a path's variables, of shared rows. */
  async parents(path: string): Promise<Record<string, string>> {
    const ids: Record<string, string> = {};
    for (const [, before = '', name = ''] of path.matchAll(/(?<=(.*))\/:(\w+)(?=\/)/g)) {
      const parent = collections.find(({ path }) => path === before);
      if (!parent) throw new Error(`no collection at ${before}`);
      ids[name] = await this.reference(typeOf(parent));
    }
    return ids;
  }

  /** The id of a row that a reference to `model` may use; there are as many different ones as `of` was given. */
  async reference(model: string, n = 0): Promise<string> {
    if (model === 'File') return insertFile(this.service, this.tenant, this.companyId);
    const collection = collectionOf(model);
    // Full rows where they need no further references, as two kinds of rows may refer to each other.
    const full = columnsOf(model).every(({ target }) => !target);
    const wish = { full, ...(model === 'User' && active) };
    return String((await this.once(`${model} ${n % this.referenced}`, () => this.make(collection, wish)))['id']);
  }

  private once(key: string, make: () => Promise<Row>): Promise<Row> {
    const made = this.made.get(key) ?? make();
    this.made.set(key, made);
    return made;
  }

  private next(key: string): number {
    const n = this.counts.get(key) ?? 0;
    this.counts.set(key, n + 1);
    return n;
  }

  private async mutate(field: string, parents: Row, wish: Wish): Promise<Row> {
    const variables = { ...parents, input: await this.body(field, wish, 'graphql') };
    const { data, errors } = await this.client.graphql(
      operationOf(rootField(field), 'Mutation', Object.keys(variables), '{ id }'),
      variables,
    );
    if (!data?.[field]) throw new Error(`${field}: ${JSON.stringify(errors)}`);
    return data[field];
  }

  /** Inserts a row of a collection into the database, with values also where no client may write. */
  async insert(collection: Collection, { full = false, values = {} }: Wish = {}): Promise<Row> {
    const type = typeOf(collection);
    const model = modelOf(type) ?? '';
    const shown = shownFields(type).map(({ name }) => name);
    const given = {
      ...values,
      ...(await this.parentColumns(collection)),
      companyId: this.companyId,
      // Notes of other users are not visible.
      ...(type === 'Note' && { userId: this.tenant.users[0]?.id }),
    };
    const columns = columnsOf(type).filter(
      ({ name, facts }) =>
        name in given ||
        (facts?.required && !facts.hasDefault) ||
        alsoNeeded[type]?.includes(name) ||
        (full && shown.includes(name) && name !== 'id'),
    );
    const data = await this.object(type, columns, this.next(type), given, 'stored');
    for (const { name, facts } of columns) {
      const isTime = facts && isApiField(facts) && facts.type.calendar;
      if (isTime && typeof data[name] === 'string') data[name] = new Date(data[name]);
    }
    // A user is also a person.
    if (model === 'User')
      data['id'] = (
        await this.service.database.prisma.person.create({
          data: { email: `${randomUUID()}@example.com`, fullName: String(data['fullName']) },
        })
      ).id;
    return this.table(model).create({ data });
  }

  /** Adds a row to a collection's list: by `insert` or, where the list shows referenced rows, by adding a reference. */
  async list(collection: Collection, wish: Wish = {}): Promise<Row> {
    const listed = collection.on.list?.operation.type;
    const type = typeOf(collection);
    if (listed === type) return this.insert(collection, wish);
    const columns = Object.values(modelFacts(modelOf(type) ?? 'Company').stored);
    const column = columns.find(({ references }) => references === listed)?.name ?? '';
    const named = await this.insert(collectionOf(listed), wish);
    await this.insert(collection, { values: { [column]: named['id'] } });
    return named;
  }

  /** Deletes a row from the database. */
  async remove(collection: Collection, id: unknown): Promise<void> {
    await this.table(modelOf(typeOf(collection)) ?? '').delete({
      where: { companyId_id: { companyId: this.companyId, id } },
    });
  }

  private table(model: string): Table {
    const found = (this.service.database.prisma as unknown as Record<string, Table>)[lowerFirst(model)];
    if (!found) throw new Error(`no table for ${model}`);
    return found;
  }

  /** The columns of a sub-resource's row that refer to the rows of its path. */
  private async parentColumns(collection: Collection): Promise<Row> {
    const fields = Object.values(modelFacts(modelOf(typeOf(collection)) ?? 'Company').stored);
    const columns: Row = {};
    for (const [name, id] of Object.entries(await this.parents(collection.path))) {
      const refersTo = ({ references = '' }: StoredField) => name === `${lowerFirst(references)}Id`;
      columns[fields.find(refersTo)?.name ?? name] = id;
    }
    return columns;
  }

  private async object(rows: string, fields: readonly Field[], n: number, values: Row, idiom: Idiom): Promise<Row> {
    const object: Row = {};
    for (const field of fields) {
      const name = idiom === 'rest' ? field.rest : field.name;
      object[name] = field.name in values ? values[field.name] : await this.value(rows, field, n, idiom);
    }
    if (idiom !== 'stored') agree(object);
    return object;
  }

  private async value(rows: string, field: Field, n: number, idiom: Idiom): Promise<unknown> {
    const { list, type, target } = field;
    if (field.facts?.role === 'attachments') return [await insertFile(this.service, this.tenant, this.companyId)];
    if (target === 'File') return insertFile(this.service, this.tenant, this.companyId);
    if (list) return [await this.value(rows, { ...field, list: false }, n, idiom)];
    if (isInputObjectType(type)) {
      const items = type.name.replace(/^Batch|Input$/g, '');
      // Callers of other roles send them, too, who may not read the files.
      const columns = fieldsOf(type, items).filter(({ facts }) => facts?.role !== 'attachments');
      return this.object(items, columns, n, {}, idiom);
    }
    if (field.name === 'id') return randomUUID();
    if (target && exclusive.includes(field.name)) return (await this.make(collectionOf(target)))['id'];
    if (target) return this.reference(target, n);
    if (isEnumType(type)) {
      const values = membersOf(type);
      const possible = idiom === 'stored' ? values : startsOf(rows, field);
      const value = possible[n % possible.length] ?? '';
      return idiom === 'rest' ? restValuesOf(type)[values.indexOf(value)] : value;
    }
    return scalar(field, n);
  }
}

/** Whether a field is optional in any new row. */
export const mayBeLeftOut = (type: string, field: Field): boolean =>
  !field.required && !alsoNeeded[type]?.includes(field.name) && !isImplied(field);

/** Whether a field may be null in any row. */
export const mayBeNull = (type: string, field: Field): boolean => !field.facts?.required && mayBeLeftOut(type, field);

/** `paintId` → `Paint`. */
const typeOfId = (argument: string) => argument.charAt(0).toUpperCase() + argument.slice(1, -2);

function collectionOf(type = ''): Collection {
  const found = collections.find((collection) => typeOf(collection) === type);
  if (!found && !modelOf(type)) throw new Error(`no collection has rows of ${type}`);
  return found ?? { path: '', on: {}, type }; // GraphQL-only resources have no path.
}

/** Replaces a path's variables by ids. */
export const fill = (path: string, ids: Row): string => path.replace(/:(\w+)/g, (_, name: string) => String(ids[name]));
