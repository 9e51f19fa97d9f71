import { dateOrders, decimals, type Kept, modes, type StoredImport, separators } from '../../import/index.ts';
import {
  column,
  defineType,
  type InputFields,
  type ObjectFields,
  type SchemaKit,
  sharedOf,
} from '../../resource/index.ts';
import { loggedTypes } from '../changes/change-view.ts';
import { sharedTypes } from '../changes/types.ts';

/** The statuses of an import. */
const statuses: Readonly<Record<StoredImport['status'], string>> = {
  WAITING: 'its file has not been sent.',
  CHECKING: 'the file is read, and all rows are tried.',
  CHECKED: 'all rows were tried, and none is written yet.',
  IMPORTING: 'rows are written, page by page.',
  IMPORTED: 'all rows are written, but those that were refused.',
  FAILED: 'it ended for the reason in `error`.',
  CANCELLING: 'what it has written is taken back.',
  CANCELLED: 'nothing of it is left, but the rows in `kept`.',
};

/** The GraphQL types of imports. */
export const importTypes = defineType((kit) => {
  const { builder } = kit;
  const { ChangedResource } = sharedTypes(kit);
  const { Handling } = sharedOf(kit);
  const enumOf = (
    name: string,
    description: string,
    values: readonly string[],
    texts?: Readonly<Record<string, string>>,
  ) =>
    builder.enumType(name, {
      description,
      values: Object.fromEntries(
        values.map((value) => [
          value.toUpperCase(),
          {
            value,
            extensions: { restValue: value.toLowerCase() },
            ...(texts?.[value] && { description: `\`${value.toLowerCase()}\` in REST: ${texts[value]}` }),
          },
        ]),
      ),
    });
  const Status = enumOf('ImportStatus', 'Status of an import.', Object.keys(statuses), statuses);
  const Mode = enumOf('ImportMode', 'What becomes of the rows of a file.', modes, {
    insert: 'each is a new row.',
    update: 'each changes the stored row that its key names.',
    upsert: 'each changes the stored row that its key names, or is new.',
  });
  const Decimal = enumOf('DecimalMark', 'How decimals are written.', decimals, { point: '1.5.', comma: '1,5.' });
  const DateOrder = enumOf('DateOrder', 'How days are written.', dateOrders, {
    dmy: '31/12/2026.',
    mdy: '12/31/2026.',
  });
  const Separator = enumOf('CsvSeparator', 'What separates the cells of CSV.', Object.keys(separators), {
    comma: '`,`.',
    semicolon: '`;`.',
    tab: 'a tab.',
    pipe: '`|`.',
  });
  const ofFile = { Mode, Decimal, DateOrder, Separator, Handling };
  return {
    ofFile,
    Import: importType(kit, { Status, ChangedResource, ...ofFile }),
    CreateInput: builder.inputType('CreateImportInput', {
      description: 'A new import. What is not said is found out.',
      fields: (t) => ({
        resource: t.field({ type: ChangedResource, required: true, description: 'What the rows of the file are.' }),
        savedMapping: t.string({ description: 'ID or name of a saved mapping: what is not said here is as it says.' }),
        autoStart: t.boolean({ description: autoStart }),
        ...optionFields(kit, t, ofFile),
      }),
    }),
    UpdateInput: builder.inputType('UpdateImportInput', {
      description:
        'Changes of an import: how its file is read, until rows are written; or its status: `IMPORTING` begins to write, `CANCELLED` takes back what was written.',
      fields: (t) => ({
        status: t.field({ type: Status, description: '`IMPORTING` or `CANCELLED`.' }),
        autoStart: t.boolean({ description: autoStart }),
        ...optionFields(kit, t, ofFile),
      }),
    }),
  };
});

/** An enum of imports. */
export type Enum = ReturnType<SchemaKit['builder']['enumType']>;
type EnumName = 'Status' | 'ChangedResource' | 'Mode' | 'Decimal' | 'DateOrder' | 'Separator' | 'Handling';

const MappingInput = defineType(({ builder }) =>
  builder.inputType('ImportMappingInput', {
    description: 'The field of a column.',
    fields: (t) => ({
      column: t.string({ required: true, description: 'The header of the column, or its position from 1.' }),
      field: t.string({ description: 'The field, as a column would be called. Without one the column is not read.' }),
    }),
  }),
);

const autoStart = 'Whether rows are written as soon as they were checked, if errors do not forbid it.';

/** The fields of inputs that say how a file is read, and what becomes of its rows. */
export function optionFields(
  kit: SchemaKit,
  t: InputFields,
  {
    Mode,
    Decimal,
    DateOrder,
    Separator,
    Handling,
  }: Readonly<Record<Exclude<EnumName, 'Status' | 'ChangedResource'>, Enum>>,
) {
  return {
    mode: t.field({ type: Mode, description: 'What becomes of the rows; `INSERT` by default.' }),
    key: t.string({
      description: 'The fields that name a stored row, with commas; the ID by default. Not for `INSERT`.',
    }),
    handling: t.field({
      type: Handling,
      description: 'Whether rows with errors keep all others from being written; `STRICT` by default.',
    }),
    decimal: t.field({ type: Decimal, description: 'How decimals are written.' }),
    dateOrder: t.field({ type: DateOrder, description: 'How days are written.' }),
    separator: t.field({ type: Separator, description: 'What separates the cells of CSV.' }),
    encoding: t.string({ description: 'The encoding of CSV or NDJSON, for example `windows-1252`.' }),
    mapping: t.field({ type: [MappingInput(kit)], description: 'The fields of columns that are called otherwise.' }),
  };
}

function importType(
  { builder, registry }: SchemaKit,
  { Status, ChangedResource, Mode, Handling, Decimal, DateOrder, Separator }: Readonly<Record<EnumName, Enum>>,
) {
  // Taken out now: the kit ends with the build.
  const types = new Map(loggedTypes(registry.resources).map(({ table, type }) => [String(table), type]));
  const Column = builder.objectRef<NonNullable<StoredImport['found']>['columns'][number]>('ImportColumn').implement({
    description: 'A column of an imported file.',
    fields: (t) => ({
      position: t.exposeInt('position', { description: 'Its position, from 1.' }),
      header: t.exposeString('header', { description: 'What the file calls it.' }),
      field: t.exposeString('field', { nullable: true, description: 'The field. Null if the column is not read.' }),
      by: t.exposeString('by', {
        nullable: true,
        description: 'The field of the related row that the column has. Null for its ID, or whatever names it.',
      }),
      examples: t.field({
        type: ['String'],
        description: 'The values of the first rows, shortened.',
        resolve: ({ examples }) => [...examples],
      }),
    }),
  });
  const Refused = builder.objectRef<StoredImport['refusals'][number]>('RefusedImportRow').implement({
    description: 'A row of a file that was refused.',
    fields: (t) => ({
      line: t.exposeInt('line', { description: 'Its line in the file, or its number in the sheet.' }),
      errors: t.field({
        type: ['String'],
        description: 'What is wrong with it.',
        resolve: ({ errors }) => [...errors],
      }),
    }),
  });
  const KeptRow = builder.objectRef<Kept['rows'][number]>('KeptImportRow').implement({
    description: 'A row that was not taken back.',
    fields: (t) => ({
      resource: t.field({
        type: ChangedResource,
        nullable: true,
        description: 'Type of the row.',
        resolve: ({ table }) => types.get(table) ?? null,
      }),
      rowId: t.exposeID('rowId', { description: 'ID of the row.' }),
      reason: t.string({
        description: 'Why: `changed` by others since, or `referred` to by rows of others.',
        resolve: ({ reason }) => reason,
      }),
    }),
  });
  return builder.objectRef<StoredImport>('Import').implement({
    description: 'An import of a file: its rows become rows of a resource.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the import.', extensions: { stored: column('Import', 'id') } }),
      resource: t.field({ type: ChangedResource, description: 'What the rows are.', resolve: ({ type }) => type }),
      status: t.field({ type: Status, description: 'Status.', resolve: ({ status }) => status }),
      userId: t.exposeID('userId', {
        description: 'ID of the user who made it.',
        extensions: { stored: column('User', 'id') },
      }),
      mode: t.field({ type: Mode, description: 'What becomes of the rows.', resolve: ({ options }) => options.mode }),
      key: t.string({
        nullable: true,
        description: 'The fields that name a stored row, with commas. Null for the ID.',
        resolve: ({ options }) => options.key ?? null,
      }),
      handling: t.field({
        type: Handling,
        description: 'Whether rows with errors keep all others from being written.',
        resolve: ({ options }) => options.handling.toUpperCase(),
      }),
      fileName: t.exposeString('fileName', { nullable: true, description: 'Name of the file. Null if there is none.' }),
      fileBytes: t.exposeInt('fileBytes', { nullable: true, description: 'Size of the file. Null until it is sent.' }),
      filePath: t.string({
        description: 'Path that the file is sent to, with PUT.',
        extensions: { example: '/api/v1/imports/0197a2c4-6a52-7c9e-9d8f-3b1f5a7c2e64/file' },
        resolve: ({ id }) => `/api/v1/imports/${id}/file`,
      }),
      format: ofFound(t, 'format', 'Format of the file: `csv`, `xlsx` or `ndjson`.'),
      encoding: ofFound(t, 'encoding', 'Encoding of the file.'),
      sheet: ofFound(t, 'sheet', 'Name of the sheet that is read.'),
      separator: t.field({
        type: Separator,
        nullable: true,
        description: 'What separates cells.',
        resolve: ({ found }) => found?.separator ?? null,
      }),
      decimal: t.field({
        type: Decimal,
        nullable: true,
        description: 'How decimals are written. Null if the file has none.',
        resolve: ({ found }) => found?.decimal ?? null,
      }),
      dateOrder: t.field({
        type: DateOrder,
        nullable: true,
        description: 'How days are written. Null if that makes no difference.',
        resolve: ({ found }) => found?.dateOrder ?? null,
      }),
      columns: t.field({
        type: [Column],
        description: 'The columns of the file. Empty until it was read.',
        resolve: ({ found }) => [...(found?.columns ?? [])],
      }),
      rows: t.int({
        nullable: true,
        description: 'How many rows the file has. Null until it was read.',
        resolve: ({ found }) => found?.rows ?? null,
      }),
      done: t.exposeInt('done', { description: 'How many of them were checked or, from then on, written.' }),
      created: t.exposeInt('created', { description: 'How many of those are new, or would be.' }),
      updated: t.exposeInt('updated', { description: 'How many of those are changed.' }),
      unchanged: t.exposeInt('unchanged', { description: 'How many of those had these values already.' }),
      refused: t.exposeInt('refused', { description: 'How many of those are refused.' }),
      refusals: t.field({
        type: [Refused],
        description: 'The first 100 rows that are refused. The file at `errorsPath` has all.',
        resolve: ({ refusals }) => [...refusals],
      }),
      errorsPath: t.string({
        description: 'Path of the file of all refused rows: the same columns, and one with the errors.',
        extensions: { example: '/api/v1/imports/0197a2c4-6a52-7c9e-9d8f-3b1f5a7c2e64/errors' },
        resolve: ({ id }) => `/api/v1/imports/${id}/errors`,
      }),
      error: t.string({
        nullable: true,
        description: 'Why it failed.',
        resolve: ({ error }) => error?.message ?? null,
      }),
      errorDetails: t.field({
        type: 'FieldErrors',
        nullable: true,
        description: 'What is wrong with what was said about the file, by its name.',
        resolve: ({ error }) => error?.details ?? null,
      }),
      takenBack: t.exposeInt('takenBack', { description: 'How many rows were taken back.' }),
      keptCount: t.int({
        description: 'How many rows were not, as others have changed them since or refer to them.',
        resolve: ({ kept }) => kept?.count ?? 0,
      }),
      kept: t.field({
        type: [KeptRow],
        description: 'The first 100 of those.',
        resolve: ({ kept }) => [...(kept?.rows ?? [])],
      }),
      createdAt: t.field({ type: 'DateTime', description: 'Time it was made.', resolve: ({ createdAt }) => createdAt }),
      finishedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time it ended. Null until then.',
        resolve: ({ finishedAt }) => finishedAt,
      }),
    }),
  });
}

/** A text that was found out about the file. */
const ofFound = (t: ObjectFields<StoredImport>, name: 'format' | 'encoding' | 'sheet', description: string) =>
  t.string({
    nullable: true,
    description: `${description} Null until it was read.`,
    resolve: ({ found }) => found?.[name] ?? null,
  });
