import type {
  ArgBuilder,
  EnumRef,
  FieldMap,
  InputFieldBuilder,
  InputFieldMap,
  InputObjectRef,
  InputShapeFromFields,
  ObjectRef,
} from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { type Access, findMissingRead } from '../../auth/access.ts';
import type { Context } from '../../context.ts';
import type { ApiField } from '../../database/stored-field.ts';
import type { FieldType, Rule } from '../../fields/index.ts';
import { assertAllowed, decide, describePolicies, type Guarded } from '../access/decide.ts';
import { writeUnread } from '../access/unread.ts';
import { type FileOperation, type ServedFile, serveFile } from '../definition/file.ts';
import { apiField, isEnum, type ModelName, type Row, type Stored } from '../definition/model.ts';
import { type Action, isOfMany, type Operation } from '../definition/operation.ts';
import { noPolicies } from '../definition/policy.ts';
import type { Resource } from '../definition/resource.ts';
import { wordsOf } from '../definition/words.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { Listing } from '../read/lists.ts';
import type { PlannedRead } from '../read/plan.ts';
import type { Api } from '../registry/api.ts';
import { describeApi } from '../registry/describe.ts';
import { Registry } from '../registry/registry.ts';
import { storageOf } from '../registry/storage.ts';
import { AggregateTypeFactory } from './aggregate-types.ts';
import { createBuilder, type SchemaBuilder, type SchemaTypes } from './builder.ts';
import { FilterTypes } from './filter-types.ts';
import { connectionType, listArguments, type SharedListTypes, sharedListTypes } from './list-types.ts';
import { OrderTypeFactory } from './order-types.ts';
import { addResourceOperations } from './resource-operations.ts';
import { columnFields, createNestedTypes, createRowType } from './resource-type.ts';
import type {
  ColumnType,
  Definition,
  FieldBuilder,
  NestedInputOptions,
  OperationOptions,
  ResourceTypes,
  SchemaKit,
} from './schema-kit.ts';

/**
 * Builds the schema, and the information derived from the definitions. The order of definitions determines that of the
 * schema and of JSON, and nothing else.
 */
export function buildApi(definitions: readonly Definition[]): Api {
  const listed = definitions.filter((definition) => definition.kind !== 'extension');
  const resources = listed.filter(({ kind }) => kind === 'resource');
  const listings = listed.filter(({ kind }) => kind === 'listing');
  const registry = new Registry(resources, listings);
  // Definitions get a kit that ends with the build: a resolver that still needs it fails.
  const { proxy: kit, revoke } = Proxy.revocable(new Kit(registry), {});
  kit.addTypes();
  for (const definition of definitions) {
    if (definition.kind === 'extension') definition.extend(kit);
    else addResourceOperations(kit, definition);
  }
  // Fields keep the order of their declaration, which is also the order in JSON.
  const schema = kit.builder.toSchema({ sortSchema: false });
  const { reads, files } = kit;
  const operations = shareBatches(kit.operations);
  revoke();
  registry.description = describeApi({ schema, resources, operations });
  const filterableOf = (listing: Listing) => registry.filterableOf(listing);
  const { listsBelow } = registry;
  const pages = registry.description.resources.flatMap(({ page, type }) => (page ? [[page, type] as const] : []));
  const collections = new Map(pages);
  const storage = storageOf(listed);
  const { description } = registry;
  return { schema, description, resources, filterableOf, listsBelow, collections, storage, operations, files, reads };
}

/** Operations with one for each path and method: a batch of its own shares the path of the writes of its resource. */
function shareBatches(operations: readonly Operation[]): Operation[] {
  const at = (action: Action) =>
    new Map(operations.flatMap((each) => (each.action === action ? [[each.path, each] as const] : [])));
  const [batches, writes] = [at('batch'), at('write')];
  return operations
    .filter(({ action, path }) => action !== 'write' || !batches.has(path))
    .map((each) => {
      const orWrites = each.action === 'batch' ? writes.get(each.path) : undefined;
      return orWrites ? { ...each, orWrites } : each;
    });
}

/** The kit of one schema. */
class Kit implements SchemaKit {
  readonly operations: Operation[] = [];
  readonly files: ServedFile[] = [];
  readonly reads = new Map<string, PlannedRead>();
  readonly builder: SchemaBuilder = createBuilder();
  readonly shared: SharedListTypes = sharedListTypes(this.builder);
  readonly sortOrder = this.shared.SortOrder;
  readonly filterTypes: FilterTypes = new FilterTypes(this);
  readonly orderTypes: OrderTypeFactory = new OrderTypeFactory(this);
  readonly groupTypes: AggregateTypeFactory = new AggregateTypeFactory(this);
  private readonly ignoreCaseEnums = new Set<string>();
  private readonly types = new Map<string, ResourceTypes>();
  private readonly enums = new Map<string, EnumRef<SchemaTypes, string>>();
  private readonly nestedInputs = new Map<ModelName, InputObjectRef<SchemaTypes, unknown>>();

  constructor(readonly registry: Registry) {
    for (const resource of registry.resources)
      for (const [name, { ignoreCase }] of Object.entries(resource.fields))
        if (ignoreCase) this.ignoreCaseEnums.add(apiField(resource, name).type.name);
  }

  /** Creates the types of all resources. */
  addTypes(): void {
    const { resources } = this.registry;
    for (const resource of resources) createNestedTypes(this, resource);
    for (const rows of [...resources, ...this.registry.listings]) this.types.set(rows.type, this.createTypes(rows));
  }

  typesOf({ type }: Resource): ResourceTypes {
    const found = this.types.get(type);
    if (!found) throw new Error(`${type} is not among the definitions.`);
    return found;
  }

  columnType(field: ApiField): ColumnType {
    // The builder knows the scalars of all types of fields.
    return isEnum(field) ? this.enumType(field) : (field.type.name as ColumnType);
  }

  enumType({ type }: ApiField): EnumRef<SchemaTypes, string> {
    return getOrCreate(this.enums, type.name, () => this.createEnum(type));
  }

  inputFields(
    t: InputFieldBuilder<SchemaTypes, 'InputObject'>,
    rows: Stored,
    columns: readonly string[],
    required: readonly string[],
    rules: Readonly<Record<string, Rule | undefined>> = {},
  ): InputFieldMap {
    const field = (column: string) => {
      const stored = apiField(rows, column);
      const type = this.columnType(stored);
      const { list, documentation: description } = stored;
      // Other parts of the service read these extensions, for example to describe the field in OpenAPI.
      const extensions = { stored, rule: rules[column] };
      return t.field({ type: list ? [type] : type, required: required.includes(column), description, extensions });
    };
    return Object.fromEntries(columns.map((column) => [column, field(column)]));
  }

  newId(t: InputFieldBuilder<SchemaTypes, 'InputObject'>, rows: Stored): InputFieldMap {
    return {
      id: t.field({
        type: 'ID',
        description: 'ID of the new row; a UUID by default.',
        extensions: { stored: apiField(rows, 'id') },
      }),
    };
  }

  columnFields<Shape extends object>(
    t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Shape>,
    rows: Stored,
    columns: readonly string[],
  ): FieldMap {
    // Pothos types both by the type's objects, which are rows of the model.
    return columnFields(this, t as unknown as FieldBuilder, rows, columns);
  }

  nestedInput(model: ModelName): InputObjectRef<SchemaTypes, unknown> {
    const found = this.nestedInputs.get(model);
    if (!found) throw new Error(`${model} has no nested input type.`);
    return found;
  }

  addNestedInput(model: ModelName, options: NestedInputOptions): void {
    this.nestedInputs.set(model, this.builder.inputType(`${model}Input`, options));
  }

  addListTypes(listing: Listing, ref: ObjectRef<SchemaTypes, unknown>) {
    return {
      connection: this.addConnection(listing, ref),
      listArguments: listArguments(this, this.shared, listing),
    };
  }

  addConnection(
    of: Pick<Listing, 'type' | 'words'>,
    ref: ObjectRef<SchemaTypes, unknown>,
  ): ResourceTypes['connection'] {
    return connectionType(this, this.shared, of, ref);
  }

  addField(resource: Resource, name: string, field: (t: FieldBuilder) => FieldMap[string]): void {
    // A type that does not exist yet is named; Pothos finds a model's second type only by its reference.
    const ref = this.types.get(resource.type)?.ref ?? resource.type;
    // Pothos types both by one model, which is known here only by name.
    this.builder.prismaObjectField(ref as never, name, field as never);
  }

  addOperation<Args extends InputFieldMap>(options: OperationOptions<Args>): void {
    const { rest, deprecationReason, returns, args, resolve, source, description: purpose, label, ...given } = options;
    const { field, access, action, type, databaseCost, usualSize } = given;
    const resource = this.registry.find(type);
    const policies = given.policies ?? resource?.policies ?? noPolicies;
    const words = resource?.words ?? wordsOf(type, given.words);
    const operation = { ...given, policies, words };
    const description = [purpose, describePolicies(operation)].filter((text) => text !== '').join(' ');
    const kind = action === 'list' || action === 'read' ? 'Query' : 'Mutation';
    if (rest) this.addRoute({ ...operation, kind });
    if (source) this.reads.set(field, { access, type, action, policies, source });
    const fields = (t: RootFieldBuilder): FieldMap => ({
      [field]: t.field({
        type: returns,
        // Nullable, so that a failed field is null with an error, and the rest of the response is kept.
        nullable: true,
        description,
        deprecationReason,
        authScopes: { access },
        extensions: { access, type, action, policies, label, databaseCost, usualSize },
        args: args(t.arg),
        resolve(_root, values, context, info) {
          assertAllowed(decide(context, operation));
          // graphql-js has read them by the types of `args`.
          const run = () => resolve(values as InputShapeFromFields<Args>, context, info);
          const missing = findMissingRead(context.caller, operation);
          // Those on many rows guard the fields of their answer.
          return missing && !isOfMany(action)
            ? writeUnread({ missing, noun: words.noun, action }, values, info, run)
            : run();
        },
      }),
    });
    if (kind === 'Query') this.builder.queryFields(fields);
    else this.builder.mutationFields(fields);
  }

  addFile(file: FileOperation): void {
    this.files.push(serveFile(file, this.registry));
  }

  /** @throws Error when the path has that action already */
  private addRoute(operation: Operation): void {
    const { path, action, type } = operation;
    const same = this.operations.find((other) => other.path === path && other.action === action);
    if (same) throw new Error(`${type} and ${same.type} both ${action} at ${path}.`);
    this.operations.push(operation);
  }

  private createEnum({ name, documentation, words = {} }: FieldType): EnumRef<SchemaTypes, string> {
    return this.builder.enumType(name, {
      description: documentation,
      extensions: { anyCase: this.ignoreCaseEnums.has(name) },
      values: Object.fromEntries(
        Object.entries(words).map(([member, restValue]) => [
          member,
          { value: member, description: `\`${restValue}\` in REST.`, extensions: { restValue } },
        ]),
      ),
    });
  }

  /** The types of a list are created when a list uses them. */
  private createTypes(resource: Resource): ResourceTypes {
    const ref = createRowType(this, resource);
    let connection: ResourceTypes['connection'] | undefined;
    let args: ResourceTypes['listArguments'] | undefined;
    const createConnection = () => connectionType(this, this.shared, resource, ref, resource);
    const createArguments = () => listArguments(this, this.shared, resource);
    return {
      ref,
      get connection() {
        return (connection ??= createConnection());
      },
      get listArguments() {
        return (args ??= createArguments());
      },
    };
  }
}

/** The part of Pothos's root field builders that the kit uses; their own types infer too much from literal options. */
interface RootFieldBuilder {
  readonly arg: ArgBuilder<SchemaTypes>;
  field(options: {
    type: OperationOptions['returns'];
    nullable: true;
    description: string;
    deprecationReason?: string;
    authScopes: { access: Access };
    extensions: Guarded & Pick<OperationOptions, 'databaseCost' | 'label' | 'usualSize'>;
    args: InputFieldMap;
    resolve: (root: unknown, args: Row, context: Context, info: GraphQLResolveInfo) => unknown;
  }): FieldMap[string];
}
