// The public interface of the kit.

export { columnsIn } from '../database/read/conditions.ts';
export { maxGroups } from './aggregate/find.ts';
export { groupRows } from './aggregate/group-rows.ts';
export { allowedActions } from './allowed-actions.ts';
export type { SchemaTypes } from './builder.ts';
export type { Counts } from './counts.ts';
export { type Asked, assertAllowed, decide, findRefusal, type Guarded, policyActions } from './decide.ts';
export { currentUser } from './defaults.ts';
export { defineNewRows, defineResource, extendSchema } from './define.ts';
export { defineField, defineList, defineOperation, defineType, forEachResource } from './define-operation.ts';
export type { ActionDescription, Choice, FieldDescription, ResourceDescription } from './description.ts';
export { etagOf, etagOfText, etagParts, preconditionFailed } from './etag.ts';
export { type ColumnExtensions, isConnection } from './extensions.ts';
export { type Filter, filterLimits, filterWhere } from './filter/compile.ts';
export type { Filterable } from './filter/filterable.ts';
export { matchStored } from './filter/match.ts';
export { escapeLike, maxFilterValues } from './filter/operators.ts';
export { FilteredList } from './filtered-list.ts';
export { getOrCreate } from './get-or-create.ts';
export { hiddenColumns } from './hidden-columns.ts';
export type { Shape } from './hooks.ts';
export { type Api, buildApi } from './kit.ts';
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
export {
  and,
  type Column,
  type ColumnFacts,
  columnFacts,
  type EnumName,
  enumFacts,
  enumOf,
  fieldTypeOf,
  lengthOf,
  type ModelFacts,
  type ModelName,
  modelFacts,
  type Row,
  requiredColumns,
  type Where,
  wordsOfModel,
} from './model.ts';
export type { Action, ListParameter, ListParameters, Operation } from './operation.ts';
export {
  approved,
  type ChangedRow,
  hidden,
  noPolicies,
  only,
  own,
  type Policies,
  type Policy,
  type PolicyAction,
  readOnly,
  reservedStatuses,
  type Spelling,
} from './policy.ts';
export {
  assertExists,
  findPage,
  findRowsById,
  findSingletonId,
  rowExists,
  selectionOfPage,
} from './query.ts';
export {
  executePlanned,
  type PreparedRead,
  parseRows,
  prepare,
  readRow,
  readRows,
  readWholeRow,
} from './read/execute.ts';
export type { ReadPlan } from './read/plan.ts';
export { Planner } from './read/planner.ts';
export type { Definition, ExtraInput, FieldBuilder, Resource, SchemaExtension, SchemaKit } from './resource.ts';
export { uuidArgument } from './resource-operations.ts';
export { databaseName, hasStatus, memberOf, RowImage, type ShownColumns } from './row-image.ts';
export { createRefresher, type Refresher, refreshStale } from './stale.ts';
export { today } from './time.ts';
export { checkBody, checkValue, rules } from './validate.ts';
export { type GivenWords, type Words, wordsOf } from './words.ts';
export { changedFieldsOf, isSameValue } from './write/changes.ts';
export { inspectRows } from './write/check.ts';
export { noSuch, violationOf } from './write/database-errors.ts';
export { inspectInput, type NewRows, requiredOfClient, rulesOf, writableColumns } from './write/input.ts';
export { lockCompany, lockRow, lockRows } from './write/lock.ts';
export { maxItems } from './write/nested-items.ts';
export { copyOf, createBySystem, updateAllBySystem, updateBySystem } from './write/system.ts';
export { changeRow, createRow, writeRows } from './write/write.ts';
