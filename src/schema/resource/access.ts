import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { carriers, parts, readScopes } from './registry.ts';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Pothos's documented way to add a plugin's types
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      access: AccessPlugin<Types>;
    }
  }
}

/**
 * Default deny, by construction: a root field must say which scope it requires, and a field that leads to a
 * resource requires that resource's read scope without saying so.
 */
export class AccessPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const options = field.pothosOptions as { authScopes?: unknown };
    if (options.authScopes) return field;
    if (field.kind === 'Query' || field.kind === 'Mutation') {
      throw new Error(`${field.kind}.${field.name} has no access rule: give it authScopes.`);
    }
    const target = this.targetOf(field);
    if (!target || parts.has(target.name) || carriers.has(field.parentType)) return field;
    const scope = readScopes.get(target.name);
    if (!scope) {
      if (target.model) throw new Error(`${field.parentType}.${field.name} leads to ${target.name}, which no scope covers.`);
      return field;
    }
    // Spreading a union of every kind of field loses which kind it is.
    return { ...field, pothosOptions: { ...field.pothosOptions, authScopes: { scope } } } as PothosOutputFieldConfig<Types>;
  }

  /** The object type a field leads to: a resource's own, or the one its connection carries. */
  private targetOf({ type }: PothosOutputFieldConfig<Types>) {
    const item = type.kind === 'List' ? type.type : type;
    if (item.kind !== 'Object') return null;
    const config = this.buildCache.getTypeConfig(item.ref);
    return { name: config.name, model: config.extensions?.['pothosPrismaModel'] };
  }
}

SchemaBuilder.registerPlugin('access', AccessPlugin);
