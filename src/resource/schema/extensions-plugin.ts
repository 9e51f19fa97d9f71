import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  type PothosTypeConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLFieldExtensions } from 'graphql';
import type { ModelName } from '../definition/model.ts';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Pothos's documented way to add a plugin's types
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      extensions: ExtensionsPlugin<Types>;
    }
  }
}

/** Writes what Pothos knows of types and fields as extensions of our own, which the rest of the service reads. */
class ExtensionsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onTypeConfig(type: PothosTypeConfig): PothosTypeConfig {
    if (type.kind !== 'Object') return type;
    const { pothosPrismaModel: model } = (type.extensions ?? {}) as { readonly pothosPrismaModel?: ModelName };
    return { ...type, extensions: { ...type.extensions, model } };
  }

  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    // Pothos and its plugins write these together.
    const { pothosExposedField: exposes, pothosPrismaRelationField: relation } = (field.extensions ?? {}) as {
      readonly pothosExposedField?: string;
      readonly pothosPrismaRelationField?: { readonly name: string };
    };
    const { select } = field.pothosOptions as { readonly select?: unknown };
    const extensions: GraphQLFieldExtensions<unknown, unknown> = {
      ...field.extensions,
      exposes,
      relation: relation?.name,
      ...(!exposes && typeof select === 'object' && select && { selects: select }),
    };
    return { ...field, extensions };
  }
}

SchemaBuilder.registerPlugin('extensions', ExtensionsPlugin);
