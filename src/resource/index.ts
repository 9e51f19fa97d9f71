// The public interface of the kit.

export { columnsIn } from '../database/read/columns-in.ts';
export { isApiField, type SqlModel } from '../database/read/models.ts';
export type { StoredField } from '../database/stored-field.ts';
export { allowedActions, allowedOperations } from './access/allowed-actions.ts';
export { assertAllowed, decide, findRefusal, type Guarded, policyActions } from './access/decide.ts';
export { hiddenColumns } from './access/hidden-columns.ts';
export { maxGroups } from './aggregate/find.ts';
export { groupRows } from './aggregate/group-rows.ts';
export { currentUser } from './definition/defaults.ts';
export { defineListing, defineNewRows, defineResource, extendSchema } from './definition/define.ts';
export {
  defineField,
  defineFile,
  defineList,
  defineOperation,
  defineType,
  forEachResource,
} from './definition/define-operation.ts';
export { etagOf, etagOfText, etagParts, preconditionFailed } from './definition/etag.ts';
export { column, lengthOf, modelFacts } from './definition/facts.ts';
export type {
  FileLimit,
  FileParameter,
  FileRequest,
  LockOptions,
  ReceivedFile,
  ResumableUpload,
  ResumableUploads,
  ResumeMethod,
  SentFile,
  ServedFile,
  StoredContent,
} from './definition/file.ts';
export type { Shape } from './definition/hooks.ts';
export { type ListBelow, type ListsBelow, linksOf } from './definition/list-below.ts';
export type { Measures } from './definition/measures.ts';
export { member } from './definition/member.ts';
export {
  apiField,
  type Column,
  enumWords,
  isEnum,
  listOf,
  type ModelName,
  type Row,
  type Rows,
  requiredColumns,
  type Stored,
  shownStatus,
  storedField,
  type Where,
} from './definition/model.ts';
export {
  type Action,
  isOfMany,
  type ListParameter,
  type ListParameters,
  type Operation,
  ofMany,
} from './definition/operation.ts';
export type { ExtraInput } from './definition/options.ts';
export { own } from './definition/own.ts';
export {
  approved,
  type ChangedRow,
  hidden,
  noPolicies,
  only,
  type Policies,
  type Policy,
  type PolicyAction,
  readOnly,
  reservedStatuses,
  type Spelling,
} from './definition/policy.ts';
export type { RefreshStale, Resource, StaleUpdate } from './definition/resource.ts';
export type { SearchedContent, SearchMatch } from './definition/searched-content.ts';
export { today } from './definition/time.ts';
export { checkBody, checkValue, rules } from './definition/validate.ts';
export { type Words, wordsOf } from './definition/words.ts';
export { type Filter, filterLimits, filterWhere } from './filter/compile.ts';
export type { Filterable } from './filter/filterable.ts';
export { matchStored } from './filter/match.ts';
export { escapeLike, maxFilterValues } from './filter/operators.ts';
export { getOrCreate } from './get-or-create.ts';
export {
  executePlanned,
  type PreparedRead,
  parseRows,
  prepare,
  readRow,
  readRows,
  readWholeRow,
} from './read/execute.ts';
export { FilteredList } from './read/filtered-list.ts';
export { hasAnyKey } from './read/keyed.ts';
export {
  assertPageSize,
  findPageSizeError,
  type Listing,
  maxPageSize,
  type Page,
  planPage,
} from './read/lists.ts';
export { loadTogether } from './read/load.ts';
export { type ReadPlan, showsRelated } from './read/plan.ts';
export { Planner } from './read/planner.ts';
export {
  assertExists,
  findPage,
  findRowsById,
  findSingletonId,
  rowExists,
} from './read/query.ts';
export { type ImagePlan, planImage, RowImage, type ShownColumns } from './read/row-image.ts';
export type { Api } from './registry/api.ts';
export { labelOfField } from './registry/describe.ts';
export type {
  ActionDescription,
  ArgumentDescription,
  Choice,
  FieldDescription,
  ResourceDescription,
  RowListDescription,
} from './registry/description.ts';
export { type ColumnExtensions, isConnection } from './registry/extensions.ts';
export type { Registry } from './registry/registry.ts';
export type { Counts } from './schema/counts.ts';
export { buildApi } from './schema/kit.ts';
export { sharedOf } from './schema/many-types.ts';
export { uuidArgument } from './schema/row-arguments.ts';
export type {
  ArgumentBuilder,
  Definition,
  FieldBuilder,
  InputFieldMap,
  InputFields,
  ObjectFields,
  SchemaExtension,
  SchemaKit,
  TypeRef,
} from './schema/schema-kit.ts';
export { loadRow, selectionBelow, selectionOf, selectionOfPage } from './schema/selections.ts';
export { inspectBelow } from './write/below.ts';
export { changedFieldsOf, isSameValue } from './write/changes.ts';
export { inspectRows } from './write/check.ts';
export { noSuch, violationOf } from './write/database-errors.ts';
export { maxAttachments } from './write/files.ts';
export { inspectInput, type NewRows, requiredOfClient, rulesOf, writableColumns } from './write/input.ts';
export { type Keys, keysOf, readKey } from './write/keys.ts';
export { lockCompany, lockRow, lockRows } from './write/lock.ts';
export { type WriteOutcome, writeLeniently } from './write/many.ts';
export { maxItems, maxWrites } from './write/nested-items.ts';
export { insertExplained, maxRestored, restoreRow } from './write/restore.ts';
export { createRefresher, type Refresher, refreshStale, staleRowsAtOnce } from './write/stale.ts';
export { copyOf, createBySystem, updateAllBySystem, updateBySystem } from './write/system.ts';
export { changeRow, createRow, writeRows } from './write/write.ts';
