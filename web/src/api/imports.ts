import {
  type ChangedResource,
  CreatableResourcesDocument,
  CreateFileImportDocument,
  FileImportDocument,
  type FileImportFragment,
  FileImportsDocument,
  type FileImportsQuery,
  type ImportMode,
  UpdateFileImportDocument,
  type UpdateImportInput,
} from './generated/graphql.ts';
import { execute } from './graphql.ts';
import { ApiError, send } from './http.ts';

export type { ImportMode, UpdateImportInput };

/** An import of a file. */
export type FileImport = FileImportFragment;

/** What a list of imports says of each. */
export type ListedImport = NonNullable<FileImportsQuery['imports']>[number];

/** What is said about a file before it is sent. */
export interface NewImport {
  /** The name of the resource in the enum of the API: `INVENTORY_ITEMS`. */
  readonly resource: string;
  readonly mode: ImportMode;
  /** The fields by which stored rows are found, with commas. */
  readonly key: string | undefined;
}

/** The types of which the person may create rows. */
export async function listCreatableTypes(): Promise<ReadonlySet<string>> {
  const { resources } = await execute(CreatableResourcesDocument);
  const creates = ({ actions }: (typeof resources)[number]) =>
    actions.some(({ action, isAllowed }) => action === 'create' && isAllowed);
  return new Set(resources.filter(creates).map(({ type }) => type));
}

/** The imports of the last 30 days, the latest first. */
export const listImports = async () => (await execute(FileImportsDocument)).imports;

/** One import; null if there is none. */
export async function getImport(id: string): Promise<FileImport | null> {
  try {
    return (await execute(FileImportDocument, { id })).import;
  } catch (error) {
    if (error instanceof ApiError && ['NOT_FOUND', 'BAD_REQUEST'].includes(error.code)) return null;
    throw error;
  }
}

/** Changes how a file is read, which checks it again; begins to write its rows; or takes them back. */
export const updateImport = async (id: string, input: UpdateImportInput): Promise<FileImport> =>
  (await execute(UpdateFileImportDocument, { id, input })).updateImport;

/** Sends the file of an import, in place of another one; it is checked then. */
export async function sendImportFile(filePath: string, file: File): Promise<void> {
  const name = encodeURIComponent(file.name);
  const headers = { accept: 'application/json', 'content-type': 'application/octet-stream' };
  await send(new Request(`${filePath}?name=${name}`, { method: 'PUT', headers, body: file }));
}

/** Makes an import of a file, and sends it. @returns the id of the import */
export async function importFile({ resource, mode, key }: NewImport, file: File): Promise<string> {
  // The API refuses a name that it does not have.
  const input = { resource: resource as ChangedResource, mode, ...(key !== undefined && { key }) };
  const { id, filePath } = (await execute(CreateFileImportDocument, { input })).createImport;
  try {
    await sendImportFile(filePath, file);
  } catch (error) {
    // Without its file it would wait for a month. What is said is why the file was not taken.
    await updateImport(id, { status: 'CANCELLED' }).catch(() => undefined);
    throw error;
  }
  return id;
}
