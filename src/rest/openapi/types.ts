export type { JsonSchema } from '../../fields/index.ts';

/** An object of the document that is not a schema. */
export type Part = Readonly<Record<string, unknown>>;

/** A kind of component that other parts of the document refer to. */
export type ComponentKind = 'schemas' | 'responses' | 'parameters' | 'headers' | 'securitySchemes';

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** An OpenAPI document, as far as this service and its tests read it. */
export interface OpenapiDocument {
  readonly openapi: string;
  readonly info: Part;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  /** What the service sends to webhooks, by its name. */
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: Readonly<Record<ComponentKind, Readonly<Record<string, Part>>>>;
}

/** One method of one path. */
export interface OpenapiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Part[];
  readonly parameters?: readonly Part[];
  readonly requestBody?: Part;
  readonly responses: Readonly<Record<string, Part>>;
}

/** Refers to a component. */
export const ref = (kind: ComponentKind, name: string) => ({ $ref: `#/components/${kind}/${name}` });
