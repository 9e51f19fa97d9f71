import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import {
  type GraphQLObjectType,
  type GraphQLObjectTypeExtensions,
  type GraphQLResolveInfo,
  type GraphQLTypeResolver,
  isNonNullType,
} from 'graphql';
import type { Access } from '../../auth/access.ts';
import { allows } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { insufficientScope } from '../../errors.ts';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Pothos's documented way to add a plugin's types
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      access: AccessPlugin<Types>;
    }
  }
}

/**
 * Denies by default: a root field must declare the scope it requires, and a field that returns a resource requires that
 * resource's read scope. The type of a union or interface is known only at run time, so it is checked then; types
 * without a scope stay inaccessible through it.
 */
class AccessPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const options = field.pothosOptions as { authScopes?: { access: Access } };
    if (options.authScopes) return this.restrict(field, options.authScopes.access);
    if (field.kind === 'Query' || field.kind === 'Mutation' || field.kind === 'Subscription') {
      throw new Error(`${field.kind}.${field.name} has no access rule: give it authScopes.`);
    }
    const target = this.targetOf(field);
    const { isConnection, isEdge } = this.extensionsOf(field.parentType);
    if (!target || target.isOwned || isConnection || isEdge) return field;
    const access = target.readAccess ?? target.readScope;
    if (access) return this.restrict(field, access);
    if (target.model)
      throw new Error(`${field.parentType}.${field.name} returns ${target.name}, which has no read scope.`);
    return field;
  }

  /** Adds an access rule to a field. */
  private restrict(field: PothosOutputFieldConfig<Types>, access: Access): PothosOutputFieldConfig<Types> {
    // Spreading a union of all kinds of fields loses the kind.
    return {
      ...field,
      extensions: { ...field.extensions, access },
      pothosOptions: { ...field.pothosOptions, authScopes: { access }, unauthorizedResolver },
    } as PothosOutputFieldConfig<Types>;
  }

  override wrapResolveType(resolveType: GraphQLTypeResolver<unknown, Types['Context']>): typeof resolveType {
    return async (value, context, info, abstractType) => {
      const type = await resolveType(value, context, info, abstractType);
      if (!type) return type;
      // The members of a union are objects.
      const scope = (info.schema.getType(type) as GraphQLObjectType).extensions.readScope;
      if (!scope) throw new Error(`${abstractType.name} returns ${type}, which has no read scope.`);
      // Plugins are generic over builders; ours always has our context.
      if (!allows((context as Context).caller.scopes, scope)) throw insufficientScope(scope);
      return type;
    };
  }

  /** The object type that a field returns: a resource's own, or the one that its connection contains. */
  private targetOf({ type }: PothosOutputFieldConfig<Types>) {
    const item = type.kind === 'List' ? type.type : type;
    if (item.kind !== 'Object') return null;
    return { name: this.buildCache.getTypeConfig(item.ref).name, ...this.extensionsOf(item.ref) };
  }

  private extensionsOf(type: Parameters<typeof this.buildCache.getTypeConfig>[0]): GraphQLObjectTypeExtensions {
    return this.buildCache.getTypeConfig(type).extensions ?? {};
  }
}

/** Replaces the error of a field that was already refused in another row. */
export const repeatedRefusal = new Error('This field was refused before.');

/**
 * Whether the field was already refused in another row: it is then null without another error, as a query can select it
 * in ten thousand rows and under many aliases.
 */
export function isRefusedBefore({ refusedFields }: Context, { path, returnType }: GraphQLResolveInfo): boolean {
  if (isNonNullType(returnType)) return false;
  const names: string[] = [];
  for (let step: GraphQLResolveInfo['path'] | undefined = path; step; step = step.prev)
    if (typeof step.key === 'string') names.push(step.key);
  const field = names.join('.');
  if (refusedFields.has(field)) return true;
  refusedFields.add(field);
  return false;
}

function unauthorizedResolver(_parent: unknown, _args: unknown, _context: unknown, _info: unknown, error: Error): null {
  if (error === repeatedRefusal) return null;
  throw error;
}

SchemaBuilder.registerPlugin('access', AccessPlugin);
