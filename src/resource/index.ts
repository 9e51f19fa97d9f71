// The public interface of the kit.

export { maxGroups } from './aggregate/find.ts';
export type { SchemaTypes } from './builder.ts';
export { explainDatabaseError, findDanglingReferences, noSuch, violationOf } from './database-errors.ts';
export { currentUser } from './defaults.ts';
export { defineResource, extendSchema } from './define.ts';
export { etagOf, etagOfText, etagParts, preconditionFailed } from './etag.ts';
export { filterLimits } from './filter/compile.ts';
export { escapeLike, maxFilterValues } from './filter/operators.ts';
export { RelativeTime } from './filter/relative-time.ts';
export type { Shape } from './hooks.ts';
export { type Api, buildApi } from './kit.ts';
export {
  type Listing,
  maxPageSize,
  type Page,
  readPage,
} from './lists.ts';
export { lockCompany, lockRow, lockRows } from './lock.ts';
export {
  and,
  type Column,
  type ColumnFacts,
  columnFacts,
  defaultMaxLength,
  enumFacts,
  type ModelFacts,
  type ModelName,
  modelFacts,
  type Row,
  requiredColumns,
  type Where,
} from './model.ts';
export { maxItems } from './nested-items.ts';
export type { Action, ListParameter, ListParameters, Operation } from './operation.ts';
export {
  assertExists,
  findPage,
  findRowsById,
  findSingletonId,
  loadRow,
  loadTogether,
  rowExists,
} from './query.ts';
export { type Link, relatedList, relatedThrough } from './relations.ts';
export type { Definition, ExtraInput, FieldBuilder, Resource, SchemaExtension, SchemaKit } from './resource.ts';
export { uuidArgument } from './resource-operations.ts';
export { databaseName, RowImage, type ShownColumns } from './row-image.ts';
export type { Counts } from './scalars.ts';
export { createRefresher, refreshStale } from './stale.ts';
export { dayIn, isoDay, startOfDay, today } from './time.ts';
export { checkBody, checkValue, maxItemLength, maxListItems, type Rule, rules } from './validate.ts';
export { createRow, deleteRow, updateRow, writableColumns } from './write.ts';
export { createRows, inspectRows } from './write-many.ts';
