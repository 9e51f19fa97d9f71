import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import type { RelatedList } from '../filter/relations.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { Registry } from '../registry/registry.ts';
import { type Link, relatedList, relatedThrough } from '../schema/related-lists.ts';
import type {
  ArgumentBuilder,
  ArgumentValues,
  FieldBuilder,
  FieldMap,
  InputFieldMap,
  OperationOptions,
  SchemaExtension,
  SchemaKit,
} from '../schema/schema-kit.ts';
import { extendSchema } from './define.ts';
import type { FileOperation } from './file.ts';
import type { Resource } from './resource.ts';

/** A GraphQL type that is created where a schema first uses it. */
export type TypeDefinition<Ref> = (kit: SchemaKit) => Ref;

/**
 * Defines a GraphQL type that several operations share.
 *
 * @param create called once for each schema
 */
export function defineType<Ref>(create: TypeDefinition<Ref>): TypeDefinition<Ref> {
  const created = new WeakMap<SchemaKit, Ref>();
  return (kit) => getOrCreate(created, kit, () => create(kit));
}

type Returns = OperationOptions['returns'];

/** What an operation is about: the rows of a resource, or a type of its own. */
type Subject =
  | {
      /** The resource whose rows it returns. */
      readonly of: Resource;
      readonly type?: undefined;
      /** By default that of the resource. */
      readonly path?: string;
      /** By default a row of the resource. */
      readonly returns?: TypeDefinition<Returns>;
    }
  | {
      readonly of?: undefined;
      /** The GraphQL type that it returns, or that its result is about. */
      readonly type: string;
      readonly path: string;
      readonly returns: TypeDefinition<Returns>;
    };

/** The definition of an operation; see `OperationOptions`. */
type DefinedOperation<Args extends InputFieldMap> = Subject &
  Omit<OperationOptions<Args>, 'args' | 'path' | 'resolve' | 'returns' | 'type'> & {
    /** What it takes; nothing by default. */
    readonly args?: (arg: ArgumentBuilder, kit: SchemaKit) => Args;
    /** Does it. @returns what GraphQL shows of its type */
    readonly run: (
      args: ArgumentValues<Args>,
      context: Context,
      info: GraphQLResolveInfo,
      registry: Registry,
    ) => Promise<unknown>;
  };

/**
 * Defines an operation that the kit does not create for a resource: a root field and, where it is offered, its REST
 * route. It is listed in `src/schema/index.ts`, in the order of the schema.
 */
export const defineOperation = <Args extends InputFieldMap>(options: DefinedOperation<Args>): SchemaExtension =>
  extendSchema((kit) => {
    const { registry } = kit;
    const { of, returns, args, run, type = of?.type, path = of?.path, ...others } = options;
    // One of the two subjects has each of them.
    if (type === undefined || path === undefined) throw new Error(`${options.field} is about nothing.`);
    const result = returns?.(kit) ?? rowOf(kit, of);
    // Created now: the schema's builder creates arguments last, and so the types of inputs after all others.
    // Without arguments their type is that of an empty object.
    const fields = kit.builder.args((t) => args?.(t.argBuilder(), kit) ?? ({} as Args));
    kit.addOperation<Args>({
      ...others,
      type,
      path,
      returns: result,
      args: () => fields,
      resolve: (args, context, info) => run(args, context, info, registry),
    });
  });

/** The type of a resource's rows. */
function rowOf(kit: SchemaKit, of: Resource | undefined) {
  if (!of) throw new Error('An operation of no resource says what it returns.');
  return kit.typesOf(of).ref;
}

/** Defines a field of a resource's rows that is none of its own file. */
export const defineField = (
  of: Resource,
  name: string,
  field: (t: FieldBuilder, kit: SchemaKit) => FieldMap[string],
): SchemaExtension => extendSchema((kit) => kit.addField(of, name, (t) => field(t, kit)));

/**
 * Defines a list inside the rows of a resource, by which these can also be filtered.
 *
 * @param list.through the join table that leads to the rows of the list, if there is one
 */
export const defineList = (
  of: Resource,
  name: string,
  list: Pick<RelatedList, 'relation' | 'target' | 'scope'> & {
    readonly description: string;
    readonly through?: Pick<Link, 'listing' | 'to' | 'as'>;
  },
): SchemaExtension =>
  extendSchema((kit) => {
    const { relation, target, through, scope, description } = list;
    kit.registry.addRelatedList(of, name, {
      relation,
      target,
      scope,
      through: through && { to: through.to, as: through.as },
    });
    kit.addField(of, name, (t) =>
      through
        ? relatedThrough(kit, t, of, { relation, ...through, scope }, target, description)
        : relatedList(kit, t, of, relation, target, description),
    );
  });

/** Defines something of each resource, whichever a schema has. */
export const forEachResource = (define: (resource: Resource) => readonly SchemaExtension[]): SchemaExtension =>
  extendSchema((kit) => {
    for (const resource of kit.registry.resources) for (const { extend } of define(resource)) extend(kit);
  });

/** Defines a route of files. It is listed in `src/schema/index.ts`. */
export const defineFile = (file: FileOperation): SchemaExtension => extendSchema((kit) => kit.addFile(file));
