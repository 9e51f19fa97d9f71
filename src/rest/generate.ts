import type { DocumentNode, execute, GraphQLSchema } from 'graphql';
import { useSofa } from 'sofa-api';
import type { Operation } from '../resource/index.ts';

/**
 * Generates the GraphQL document of every operation with sofa-api: its root field with all arguments as variables, and
 * all fields that REST shows.
 *
 * Sofa only exposes request handlers, so each handler runs once, with an `execute` that captures the document. Sofa is
 * not used to serve requests: its input parsing is lenient, it has no envelope, and its router tries one pattern after
 * another.
 *
 * @param schema the schema in REST's form, with the root fields of these operations only: sofa generates a route for
 *   every root field that it finds
 * @throws Error when sofa generates no document for an operation
 */
export async function generateDocuments(
  schema: GraphQLSchema,
  operations: readonly Operation[],
): Promise<ReadonlyMap<Operation, DocumentNode>> {
  const generated = new Map<string, DocumentNode>();
  const sofa = useSofa({
    basePath: '/',
    schema,
    // Paths without variables, which sofa's router finds by lookup instead of trying all patterns.
    routes: Object.fromEntries(
      operations.map(({ kind, field }) => [`${kind}.${field}`, { method: 'GET', path: `/${kind}/${field}` }]),
    ),
    execute: async ({ document, operationName }: Parameters<typeof execute>[0]) => {
      generated.set(String(operationName), document);
      return { data: null };
    },
  });
  const documents = new Map<Operation, DocumentNode>();
  for (const operation of operations) {
    const { kind, field } = operation;
    await sofa.fetch(`http://localhost/${kind}/${field}`);
    const document = generated.get(`${field}_${kind.toLowerCase()}`);
    if (!document) throw new Error(`sofa-api generated no document for ${kind}.${field}.`);
    documents.set(operation, document);
  }
  return documents;
}
