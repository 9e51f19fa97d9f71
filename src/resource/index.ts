// The public interface of the kit.

export { maxGroups } from './aggregate/find.ts';
export { groupRows } from './aggregate/group-rows.ts';
export type { SchemaTypes } from './builder.ts';
export { changedFieldsOf, isSameValue } from './changes.ts';
export { noSuch, violationOf } from './database-errors.ts';
export { currentUser } from './defaults.ts';
export { defineNewRows, defineResource, extendSchema } from './define.ts';
export { etagOf, etagOfText, etagParts, preconditionFailed } from './etag.ts';
export type { ColumnExtensions } from './extensions.ts';
export { type Filter, filterLimits, filterWhere } from './filter/compile.ts';
export type { Filterable } from './filter/filterable.ts';
export { matchStored } from './filter/match.ts';
export { escapeLike, maxFilterValues } from './filter/operators.ts';
export { RelativeTime } from './filter/relative-time.ts';
export { FilteredList } from './filtered-list.ts';
export type { Shape } from './hooks.ts';
export { accessOf, columnMember } from './json-rows.ts';
export { type Api, buildApi, scalarOf } from './kit.ts';
export {
  assertPageSize,
  findPageSizeError,
  type ListArguments,
  type Listing,
  maxPageSize,
  type Page,
  planPage,
} from './lists.ts';
export { loadRow, loadTogether } from './load.ts';
export { lockCompany, lockRow, lockRows } from './lock.ts';
export {
  and,
  type Column,
  type ColumnFacts,
  columnFacts,
  defaultMaxLength,
  type EnumName,
  enumFacts,
  enumOf,
  type ModelFacts,
  type ModelName,
  modelFacts,
  type Row,
  requiredColumns,
  type Where,
} from './model.ts';
export { maxItems } from './nested-items.ts';
export type { Action, ListParameter, ListParameters, Operation, ReadPage } from './operation.ts';
export {
  assertExists,
  findPage,
  findRowsById,
  findSingletonId,
  rowExists,
  selectionOfPage,
} from './query.ts';
export { type ReadListed, relatedList, relatedThrough } from './relations.ts';
export type { Definition, ExtraInput, Resource, SchemaExtension, SchemaKit } from './resource.ts';
export { uuidArgument } from './resource-operations.ts';
export { databaseName, hasStatus, memberOf, RowImage, type ShownColumns } from './row-image.ts';
export type { Counts } from './scalars.ts';
export { createRefresher, type Refresher, refreshStale } from './stale.ts';
export { dayIn, isoDay, startOfDay, today } from './time.ts';
export { checkBody, checkValue, maxItemLength, maxListItems, type Rule, rules } from './validate.ts';
export { createRow, deleteRow, updateRow } from './write.ts';
export { inspectInput, type NewRows, requiredOfClient, rulesOf, writableColumns } from './write-input.ts';
export { createRows, inspectRows } from './write-many.ts';
