// The store of files: where their bytes are, and what they are. The rows of files are in the database.
export { Clamd, notScanned, readableNow, ScanFailed, ScannerUnavailable, type ScanResult } from './clamd.ts';
export { isShownApart, isShownInline } from './media-type.ts';
export { copyFiles, type Files, type FilesConfig, openFiles } from './open.ts';
export { findText, hasPreviews, previewOf, storePreviews } from './previews.ts';
export { type Received, receiveFile, tooLargeFile } from './receive.ts';
export { useRewritten } from './rewritten.ts';
export {
  type ByteRange,
  contentAddress,
  type FileKey,
  type FileStore,
  fileOf,
  folderOf,
  originalOf,
  partOf,
} from './store.ts';
export { createStoreCheck } from './store-check.ts';
export { type PreviewSize, previewSizes, sizesOfPreviews, type TextPart, UnfitFile } from './tasks.ts';
