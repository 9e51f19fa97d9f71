import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { type GraphQLResolveInfo, type GraphQLTypeResolver, isNonNullType } from 'graphql';
import type { Scope } from '../auth/scopes.ts';
import { allows } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { insufficientScope } from '../errors.ts';

/** The access rules of a schema's types. */
export interface AccessRules {
  /** GraphQL type → the scope that reading it requires. */
  readonly readScopes: ReadonlyMap<string, Scope>;
  /** Types whose rows belong to one other row and are shown with it, such as line items. */
  readonly ownedTypes: ReadonlySet<string>;
  /** Connections and their edges: reading them needs no scope of their own. */
  readonly connectionTypes: ReadonlySet<string>;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Pothos's documented way to add a plugin's types
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      access: AccessPlugin<Types>;
    }
    // biome-ignore format: Pothos' own declaration has the same parameter
    // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations have the same parameters
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      access?: AccessRules;
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
    const options = field.pothosOptions as { authScopes?: unknown };
    if (options.authScopes) return this.restrict(field, options.authScopes);
    if (field.kind === 'Query' || field.kind === 'Mutation' || field.kind === 'Subscription') {
      throw new Error(`${field.kind}.${field.name} has no access rule: give it authScopes.`);
    }
    const target = this.targetOf(field);
    const { readScopes, ownedTypes, connectionTypes } = this.rules;
    if (!target || ownedTypes.has(target.name) || connectionTypes.has(field.parentType)) return field;
    const scope = readScopes.get(target.name);
    if (!scope) {
      if (target.model)
        throw new Error(`${field.parentType}.${field.name} returns ${target.name}, which has no read scope.`);
      return field;
    }
    return this.restrict(field, { access: scope });
  }

  /** Adds an access rule to a field. */
  private restrict(field: PothosOutputFieldConfig<Types>, authScopes: unknown): PothosOutputFieldConfig<Types> {
    // Spreading a union of all kinds of fields loses the kind.
    return {
      ...field,
      pothosOptions: { ...field.pothosOptions, authScopes, unauthorizedResolver },
    } as PothosOutputFieldConfig<Types>;
  }

  override wrapResolveType(resolveType: GraphQLTypeResolver<unknown, Types['Context']>): typeof resolveType {
    return async (value, context, info, abstractType) => {
      const type = await resolveType(value, context, info, abstractType);
      if (!type) return type;
      const scope = this.rules.readScopes.get(type);
      if (!scope) throw new Error(`${abstractType.name} returns ${type}, which has no read scope.`);
      // Plugins are generic over builders; ours always has our context.
      if (!allows((context as Context).caller.scopes, scope)) throw insufficientScope(scope);
      return type;
    };
  }

  private get rules(): AccessRules {
    const { access } = this.builder.options;
    if (!access) throw new Error('The builder has no access rules.');
    return access;
  }

  /** The object type that a field returns: a resource's own, or the one that its connection contains. */
  private targetOf({ type }: PothosOutputFieldConfig<Types>) {
    const item = type.kind === 'List' ? type.type : type;
    if (item.kind !== 'Object') return null;
    const config = this.buildCache.getTypeConfig(item.ref);
    return { name: config.name, model: config.extensions?.['pothosPrismaModel'] };
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
