import { permits } from '../../auth/access.ts';
import type { Scope } from '../../auth/scopes.ts';
import { type Context, inTransaction } from '../../context.ts';
import { badRequest, insufficientScope, validationError } from '../../errors.ts';
import { csvType, printCsv } from '../../http/csv.ts';
import { sheetType } from '../../http/send-table.ts';
import { printTemplate } from '../../http/sheet-xml.ts';
import { writeWorkbook } from '../../http/workbook.ts';
import {
  assertOpen,
  cancelImport,
  checkFile,
  keepFile,
  lockImport,
  modes,
  readErrors,
  storeArriving,
  templateOf,
} from '../../import/index.ts';
import { defineFile, type ReceivedFile, type Registry, type Resource } from '../../resource/index.ts';
import { loggedTypes } from '../changes/change-view.ts';
import { findImport, makeImport, ofImports } from './imports.ts';

const { type, words, access, tag } = ofImports;
const about = { type, words, access, tag } as const;

const handlings = ['strict', 'lenient'] as const;

/** The parameters that say what the rows of a file are. */
const ofRows = [
  { name: 'resource', required: true, description: 'What its rows are, as in `POST /imports`.', maxLength: 50 },
  { name: 'mode', description: 'What becomes of the rows; `insert` by default.', values: modes },
] as const;

/** Receives the file of an import. */
const sendImportFile = defineFile({
  ...about,
  field: 'sendImportFile',
  path: '/imports/:id/file',
  description:
    'Send the file of an import: CSV, a spreadsheet (XLSX) or NDJSON; its content decides. All rows are checked then. Another file replaces it until rows are written.',
  parameters: [{ name: 'name', description: 'Name of the file.', maxLength: 255 }],
  does: 'receive',
  limit: 'import',
  mediaTypes: ['application/octet-stream', 'text/csv', 'application/x-ndjson'],
  async run({ path, query, body, maxBytes }, context, registry) {
    await takeFile(path['id'] ?? '', { body, maxBytes, name: query['name'] }, context, registry);
  },
});

/** Takes the file of an import, and has it checked. */
async function takeFile(
  id: string,
  { body, maxBytes, name }: Pick<ReceivedFile, 'body' | 'maxBytes' | 'name'>,
  context: Context,
  registry: Registry,
): Promise<void> {
  const found = await findImport(id, context, registry);
  assertOpen(found);
  const arrived = await storeArriving(context.unscopedDb, found, body, maxBytes);
  if (arrived.size === 0) throw validationError({ file: 'must not be empty' });
  await inTransaction(context, async () => {
    await lockImport(id, context);
    const row = await findImport(id, context, registry);
    assertOpen(row);
    await keepFile(context.unscopedDb, row, arrived);
    await checkFile(row, context, { fileBytes: arrived.size, fileName: name ?? null });
  });
}

/** Makes an import of a file in one request. */
const importRows = defineFile({
  ...about,
  does: 'add',
  takesRows: true,
  limit: 'import',
  answer: 'import',
  field: 'importRows',
  path: '/imports/rows',
  description:
    'Make an import and send its file at once, as the body or in a form as `file`. Its rows are written once they were checked.',
  parameters: [
    ...ofRows,
    { name: 'key', description: 'The field, or the fields, by which stored rows are found.', maxLength: 500 },
    {
      name: 'handling',
      description: 'Whether rows with errors keep the others from being written.',
      values: handlings,
    },
    { name: 'dry_run', description: 'Whether the rows are only checked.', values: ['true', 'false'] },
    { name: 'name', description: 'Name of the file.', maxLength: 255 },
  ],
  mediaTypes: ['application/octet-stream', 'text/csv', 'application/x-ndjson', 'multipart/form-data'],
  async run({ query, body, maxBytes, name = query['name'], rowsOf }, context, registry) {
    const type = rowsOf ?? resourceNamed(query['resource'], registry).type;
    const options = {
      mode: modes.find((each) => each === query['mode']) ?? 'insert',
      handling: handlings.find((each) => each === query['handling']) ?? 'strict',
      autoStart: query['dry_run'] !== 'true',
      ...(query['key'] !== undefined && { key: query['key'] }),
    };
    const { id } = await makeImport(type, options, context, registry);
    try {
      await takeFile(id, { body, maxBytes, name }, context, registry);
    } catch (error) {
      // Without its file it would wait for a month.
      await cancelImport(await findImport(id, context, registry), context);
      throw error;
    }
    return id;
  },
});

/** The resource that a parameter names. @throws ServiceError BAD_REQUEST */
function resourceNamed(name: string | undefined, { resources }: Registry): Resource {
  const named = loggedTypes(resources).find((each) => each.name.toLowerCase() === name);
  const resource = resources.find((each) => each.type === named?.type);
  if (!resource) throw badRequest('resource: there is no such resource');
  return resource;
}

/** Sends the rows of an import that were refused. */
const importErrors = defineFile({
  ...about,
  field: 'importErrors',
  path: '/imports/:id/errors',
  description:
    'Get the rows of an import that were refused, as CSV: the same columns, and `import_errors`. Corrected, it can be imported itself. Empty until the file was read.',
  does: 'send',
  mediaTypes: ['text/csv'],
  async run({ path }, context, registry) {
    const row = await findImport(path['id'] ?? '', context, registry);
    return { type: csvType, name: 'import-errors.csv', content: readErrors(context.unscopedDb, row) };
  },
});

/** Sends an empty file with the columns of a resource. */
const importTemplate = defineFile({
  ...about,
  field: 'importTemplate',
  path: '/imports/template',
  description:
    'Get an empty file with the columns of the rows of a resource, and of their line items: CSV, or a spreadsheet whose columns have the formats of their values.',
  parameters: [...ofRows],
  does: 'send',
  mediaTypes: ['text/csv', sheetType],
  async run({ query, mediaType }, { caller }, registry) {
    const resource = resourceNamed(query['resource'], registry);
    const scope = `${resource.scope}:write` as Scope;
    if (!permits(caller, scope)) throw insufficientScope(scope);
    const mode = modes.find((each) => each === query['mode']) ?? 'insert';
    const name = resource.path.split('/').at(-1) ?? 'rows';
    const columns = templateOf({ resource, mode });
    if (mediaType === sheetType)
      return { type: sheetType, name: `${name}.xlsx`, content: writeWorkbook(printTemplate(columns)) };
    const header = printCsv([columns.map((column) => column.name)]);
    return { type: csvType, name: `${name}.csv`, content: `\uFEFF${header}` };
  },
});

/** The routes of imported files. */
export const importFiles = [sendImportFile, importRows, importErrors, importTemplate];
