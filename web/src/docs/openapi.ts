import { sendJson } from '../api/http.ts';

/** The parts of JSON Schema that the OpenAPI document uses and the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly default?: string | number | boolean;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  /** Instead of a schema, of a parameter that is JSON. */
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

interface Answer {
  readonly description: string;
  readonly content?: Content;
}

type OrReference<T> = T | { readonly $ref: string };

/** An operation as the document has it. */
interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  /** How callers authenticate: by one of these schemes. */
  readonly security: readonly { readonly apiToken?: readonly string[]; readonly session?: readonly string[] }[];
  readonly parameters?: readonly OrReference<Parameter>[];
  readonly requestBody?: { readonly description?: string; readonly content: Content };
  readonly responses: Readonly<Record<string, OrReference<Answer>>>;
}

/** The OpenAPI document. */
interface OpenApi {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An operation with its references resolved, except those between schemas. */
export interface Operation extends Omit<DocumentedOperation, 'parameters' | 'responses'> {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly responses: readonly (Answer & { readonly status: string })[];
  /** What a search looks through, in lower case. */
  readonly text: string;
}

/** What the page shows. */
export interface Reference {
  readonly about: string;
  readonly groups: readonly {
    readonly name: string;
    readonly about: string;
    readonly operations: readonly Operation[];
  }[];
  /** Follows a schema's reference. */
  readonly resolve: (schema: Schema) => Schema;
}

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'];

/** Loads the OpenAPI document. */
export async function loadReference(): Promise<Reference> {
  const document = await sendJson<OpenApi>('GET', '/api/v1/openapi.json');

  /** The part that a reference names; the document has no other kind of reference. */
  const follow = <T extends object>(part: OrReference<T>): T => {
    if (!('$ref' in part)) return part;
    const [, , kind = '', name = ''] = String(part.$ref).split('/');
    // References lead to parts of the kind that they stand for.
    return document.components[kind]?.[name] as T;
  };

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method): Operation[] => {
      const operation = item[method];
      if (!operation) return [];
      return [
        {
          ...operation,
          method: method.toUpperCase(),
          path,
          parameters: (operation.parameters ?? []).map(follow),
          responses: Object.entries(operation.responses).map(([status, answer]) => ({ status, ...follow(answer) })),
          text: [method, path, operation.operationId, operation.description, ...operation.tags].join(' ').toLowerCase(),
        },
      ];
    }),
  );
  return {
    about: document.info.description,
    groups: document.tags.map(({ name, description }) => ({
      name,
      about: description,
      operations: operations.filter(({ tags }) => tags.includes(name)),
    })),
    // The compiler does not carry the condition over.
    resolve: (schema) => (schema.$ref ? { ...follow(schema as { $ref: string }), ...withoutRef(schema) } : schema),
  };
}

/** Keywords beside a reference apply too, such as a default. */
const withoutRef = ({ $ref: _, ...rest }: Schema): Schema => rest;
