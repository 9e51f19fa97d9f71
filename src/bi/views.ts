// The views of BI tools, as SQL: of each resource the columns and rows that every member may read.
import type { Context } from '../context.ts';
import type { SqlModel } from '../database/read/models.ts';
import { fieldOf } from '../database/read/models.ts';
import { lowerFirst, snakeCase } from '../names.ts';
import type { Api, Resource } from '../resource/index.ts';

/** The schema of the views, and the role that all BI roles are members of. */
export const biSchema = 'bi';
export const biGroup = 'premises_bi';

/** A view. */
export interface BiView {
  readonly name: string;
  /** The scope that a role needs for it. */
  readonly scope: string;
  readonly columns: readonly BiColumn[];
  /** What it has a row for. */
  readonly description: string;
  /** The statements that create it. */
  readonly statements: readonly string[];
}

/** A column of a view. */
export interface BiColumn {
  readonly name: string;
  /** Its type in SQL. */
  readonly type: string;
  readonly description: string | undefined;
}

/** The types that columns keep. Of others those of a fixed set of words become text, and the rest have no column. */
const keptTypes = [
  'uuid',
  'text',
  'date',
  'timestamptz',
  'numeric',
  'integer',
  'boolean',
  'double precision',
  'bigint',
];

/** The id that no user has: what its owner may read, everybody may. */
const nobody = '00000000-0000-0000-0000-000000000000';

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The views of an API, in the order of its resources. */
export const biViews = (api: Pick<Api, 'resources' | 'storage'>): BiView[] =>
  api.resources.map((resource) => viewOf(resource, api.storage.models(resource.model), api));

function viewOf(resource: Resource, model: SqlModel, { resources }: Pick<Api, 'resources'>): BiView {
  const { scope, columns: shown, words, policies } = resource;
  const { hidden } = policies.decisions.read.MEMBER;
  const isShared = resources.filter((each) => each.model === resource.model).length > 1;
  const name =
    isShared && resource.parent
      ? `${snakeCase(lowerFirst(resource.parent.resource.type))}_${model.table}`
      : model.table;
  const fields = shown
    .filter((column) => !hidden.includes(column))
    .map((column) => fieldOf(model, column))
    .filter(({ list, type }) => !list && (type.words !== undefined || keptTypes.includes(type.sqlType)));
  const columns = fields.map(({ name: field, type, documentation }) => ({
    name: snakeCase(field),
    type: type.words === undefined ? type.sqlType : 'text',
    description: documentation,
  }));
  const selected = fields.map((field, n) => {
    const sql = field.sql('source');
    return `${field.type.words === undefined ? sql : `(${sql})::text`} AS ${quoted(columns[n]?.name ?? '')}`;
  });
  const company = model.roles.company ?? model.roles.key;
  if (!company) throw new Error(`${model.table} has no company.`);
  const view = `${biSchema}.${quoted(name)}`;
  const description = `${words.many} (${scope}:read)`;
  const conditions = [
    // Once for the statement, and not for each row.
    `${company.sql('source')} = (SELECT ${biSchema}.company_of(${literal(scope)}))`,
    ...(resource.accessFilter ? [conditionOf(model, resource.accessFilter(asNobody))] : []),
  ];
  return {
    ...{ name, scope, columns, description },
    statements: [
      `CREATE VIEW ${view} WITH (security_barrier) AS SELECT ${selected.join(', ')} FROM ${quoted(model.table)} AS source WHERE ${conditions.join(' AND ')}`,
      `COMMENT ON VIEW ${view} IS ${literal(description)}`,
      ...columns.flatMap(({ name: column, description: text }) =>
        text ? [`COMMENT ON COLUMN ${view}.${quoted(column)} IS ${literal(text)}`] : [],
      ),
    ],
  };
}

/** What row filters are asked with: a member who has written nothing. */
const asNobody = {
  caller: { kind: 'token', userId: nobody, role: 'MEMBER', scopes: ['*:read'] },
} as unknown as Context;

/** The SQL of a row filter. @throws Error for one that it does not know: no view has more rows than it should */
function conditionOf(model: SqlModel, where: unknown): string {
  const parts = Object.entries(where as Readonly<Record<string, unknown>>).map(([name, value]): string => {
    if (name === 'OR' && Array.isArray(value))
      return value.length === 0 ? 'false' : value.map((each) => conditionOf(model, each)).join(' OR ');
    const sql = fieldOf(model, name).sql('source');
    if (typeof value === 'boolean') return `${sql} = ${value}`;
    if (typeof value === 'string') return `${sql} = ${literal(value)}`;
    if (JSON.stringify(value) === '{"not":null}') return `${sql} IS NOT NULL`;
    throw new Error(`The row filter of ${model.table} has a condition on ${name} that BI views do not know.`);
  });
  if (parts.length === 0) throw new Error(`The row filter of ${model.table} is empty.`);
  return `(${parts.map((part) => `(${part})`).join(' AND ')})`;
}

/** The statement that drops all views. */
export const dropStatement = `DO $$ DECLARE old record; BEGIN
     FOR old IN SELECT viewname FROM pg_views WHERE schemaname = '${biSchema}' LOOP
       EXECUTE format('DROP VIEW ${biSchema}.%I CASCADE', old.viewname);
     END LOOP;
   END $$`;

/**
 * The statements that make the schema with all views anew. Who reads is the role that the session began with, which no
 * statement of it can change; and there are rows on a standby alone, as on the server that writes even a role that only
 * reads can hold up others.
 */
export const biStatements = (views: readonly BiView[]): string[] => [
  `CREATE SCHEMA IF NOT EXISTS ${biSchema}`,
  `CREATE TABLE IF NOT EXISTS ${biSchema}.roles (
     role name PRIMARY KEY,
     company_id uuid NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
     scopes text[] NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  `CREATE INDEX IF NOT EXISTS roles_company_id_idx ON ${biSchema}.roles (company_id)`,
  `REVOKE ALL ON ${biSchema}.roles FROM PUBLIC`,
  `CREATE OR REPLACE FUNCTION ${biSchema}.company_of(scope text) RETURNS uuid
   LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
     SELECT company_id FROM ${biSchema}.roles
     WHERE role = session_user AND company_of.scope = ANY (scopes) AND pg_is_in_recovery()
   $$`,
  `REVOKE ALL ON FUNCTION ${biSchema}.company_of(text) FROM PUBLIC`,
  dropStatement,
  ...views.flatMap(({ statements }) => statements),
  `DO $$ BEGIN CREATE ROLE ${biGroup} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
  `GRANT USAGE ON SCHEMA ${biSchema} TO ${biGroup}`,
  `GRANT EXECUTE ON FUNCTION ${biSchema}.company_of(text) TO ${biGroup}`,
];

/** The statements that let a role read the views of its scopes. */
export const grantsOf = (role: string, scopes: readonly string[], views: readonly BiView[]): string[] =>
  views
    .filter(({ scope }) => scopes.includes(scope))
    .map(({ name }) => `GRANT SELECT ON ${biSchema}.${quoted(name)} TO ${quoted(role)}`);
