// Imports files: CSV, spreadsheets and NDJSON become rows of a resource.
export {
  addImport,
  assertOpen,
  beginImport,
  cancelImport,
  changeOptions,
  checkFile,
  lockImport,
} from './change.ts';
export { keyOf, templateOf } from './columns.ts';
export { type DateOrder, type Decimals, dateOrders, decimals } from './conventions.ts';
export { errorsHeader, errorsRows } from './errors-file.ts';
export { importFile } from './job.ts';
export { readMapping } from './mapping.ts';
export { keepFile, readErrors, storeArriving } from './parts.ts';
export { type FileOptions, type PreparedImport, prepareImport } from './prepare.ts';
export { assertMayImport, runImport } from './run.ts';
export { findSavedMapping, type SavedMapping, savedMapping, visibleMappings } from './saved.ts';
export { openFileSource } from './source.ts';
export {
  type ImportOptions,
  type Kept,
  resourceOfType,
  type StoredImport,
  storedImport,
  targetOf,
} from './stored.ts';
export { type Separator, separators } from './table.ts';
export { assertLogged, beginTakingBack, takeBack } from './take-back.ts';
export { type Mode, modes } from './target.ts';
