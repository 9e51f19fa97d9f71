import type { Access } from '../../auth/access.ts';
import type { ScopeGroup } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import type { FieldErrors } from '../../errors.ts';
import type { ComputedFilter, NormalizedColumn } from '../filter/filterable.ts';
import type { EtagParts } from './etag.ts';
import type { Field } from './field.ts';
import type { Data, RowHooks } from './hooks.ts';
import type { Measures, Ranges } from './measures.ts';
import type { ModelName, Row, Rows, Where } from './model.ts';
import type { ListParameters, Operation, ResourceAction } from './operation.ts';
import type { Policies } from './policy.ts';
import type { SearchedContent } from './searched-content.ts';
import type { Words } from './words.ts';

/** Converts input besides columns to columns, which it adds to `data`. @returns the errors of the input */
export type ConvertInput<Model extends ModelName> = (write: {
  readonly context: Context;
  readonly input: Readonly<Row>;
  readonly data: Data<Model>;
}) => FieldErrors | Promise<FieldErrors>;

/** Creates fields of a GraphQL type, with the kit of a schema; `ResourceOptions` has its types. */
export type FieldsOfSchema = (kit: never) => (t: never) => object;

/** An update of statuses that depend on the date; see `refreshStale`. */
export interface StaleUpdate {
  /** Common table expressions, which update a bounded number of rows. */
  readonly steps: readonly Prisma.Sql[];
  /** The one of them that returns the updated rows. */
  readonly updated: Prisma.Sql;
}

/** Creates an update. `ofCompany` is the condition for the company's rows, and `day` is today. */
export type RefreshStale = (given: {
  readonly rows: Rows;
  readonly ofCompany: Prisma.Sql;
  readonly day: Prisma.Sql;
}) => StaleUpdate;

/** A resource's link to its parent. */
interface ParentLink {
  readonly resource: Resource;
  readonly column: string;
  readonly relation?: string;
  readonly lock?: boolean;
}

/** A resource's definition. It is a value without side effects: the schema is built from a list of these. */
export interface Resource<Model extends ModelName = ModelName> extends Rows<Model> {
  /** Rows of a `listing` are part of other rows, or recorded: they are listed, and nothing else. */
  readonly kind: 'resource' | 'listing';
  /** The name of its GraphQL type. */
  readonly type: string;
  readonly scope: ScopeGroup;
  /** What its list requires. */
  readonly listAccess: Access;
  /** Its group in API references; by default that of its scope. */
  readonly tag?: Operation['tag'];
  readonly words: Words & { readonly title?: string };
  /** The path below /api/v1, with an argument's name for each id: `/paints/:paintId/locations`. */
  readonly path: string;
  readonly parent?: ParentLink;
  readonly isSingleton: boolean;
  /** The columns of the API, in the order of the body. */
  readonly columns: readonly string[];
  readonly fields: Readonly<Record<string, Field>>;
  /** The columns that a table of its rows shows. */
  readonly shownColumns: readonly string[];
  readonly search: readonly string[];
  readonly content?: SearchedContent;
  readonly filters: Readonly<Record<string, ComputedFilter>>;
  readonly measures: Measures;
  readonly ranges: Ranges;
  readonly normalized: Readonly<Record<string, NormalizedColumn>>;
  readonly pageSize: number;
  readonly actions: readonly ResourceAction[];
  /** Limits the rows that the caller can access. */
  readonly accessFilter?: (context: Context) => Where;
  /** What the roles of callers limit. */
  readonly policies: Policies;
  readonly graphql: {
    readonly relations: readonly string[];
    readonly virtualFields?: FieldsOfSchema;
    readonly extraInput?: { readonly fields: FieldsOfSchema; readonly resolve: ConvertInput<ModelName> };
  };
  readonly rest: {
    readonly actions: readonly ResourceAction[];
    readonly aliases: readonly string[];
    readonly parameters: ListParameters;
    readonly mountedUnder?: Omit<ParentLink, 'lock'> & {
      readonly path: string;
      readonly actions: readonly ResourceAction[];
    };
  };
  readonly hooks: RowHooks;
  readonly nestedItems: Readonly<Record<string, readonly string[]>>;
  readonly etag: EtagParts;
  readonly refreshStale?: RefreshStale;
}
