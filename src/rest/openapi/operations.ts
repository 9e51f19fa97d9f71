import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { aggregateField } from '../aggregates/parameters.ts';
import { type Route, takesFields, writesBeside } from '../routes.ts';
import { Bodies } from './bodies.ts';
import { parametersOf } from './parameters.ts';
import { type ErrorName, errorResponses } from './responses.ts';
import type { Schemas } from './schemas.ts';
import { requirement, securityOf } from './security.ts';
import type { Named } from './shared.ts';
import { tagOf } from './tags.ts';
import { inRestNames } from './text.ts';
import type { OpenapiOperation } from './types.ts';

/** A route's operation, whose parameters may become components. */
export interface DescribedOperation {
  readonly route: Route;
  readonly operation: Omit<OpenapiOperation, 'parameters'>;
  readonly parameters: readonly Named[];
}

/**
 * Describes the operations of routes.
 * @param restSchema the schema in REST's form
 * @param schema the product's schema
 * @param schemas gets the schemas that the operations refer to
 */
export function describeOperations(
  routes: readonly Route[],
  restSchema: GraphQLSchema,
  schema: GraphQLSchema,
  schemas: Schemas,
): DescribedOperation[] {
  const fieldOf = (route: Route): GraphQLField<unknown, unknown> => {
    const { kind, field } = route.operation;
    const root = kind === 'Query' ? restSchema.getQueryType() : restSchema.getMutationType();
    const found = root?.getFields()[field];
    if (!found) throw new Error(`The schema has no ${kind}.${field}.`);
    return route.operation.action === 'aggregate' ? aggregateField(found) : found;
  };
  const bodies = new Bodies(schemas, routes, fieldOf, schema);
  const named = new Set<string>();

  return routes.map((route) => {
    const { access, action } = route.operation;
    const name = action === 'aggregate' ? `${route.operation.field}Aggregates` : route.operation.field;
    const field = fieldOf(route);
    const beside = writesBeside(route);
    const requestBody = bodies.request(route, beside);
    const included = bodies.included(route).map((list) => list.name);
    const described = [field, ...(beside ? [fieldOf(beside)] : [])];
    const description = described
      .map((each) => inRestNames(each.description ?? '', each.args))
      .join(' With `operations`: ');
    const operation = {
      operationId: named.has(name) ? `${name}At${pascalPath(route.path)}` : name,
      tags: [tagOf(route.operation).name],
      summary: description.replace(/[.:,].*$/s, ''),
      description: `${description} ${requirement(access)}`,
      ...(requestBody && { requestBody }),
      responses: {
        ...bodies.success(route),
        ...(beside && bodies.success(beside)),
        ...errorResponses(errorsOf(route, requestBody !== undefined, isStored(route, schema))),
        ...(beside && errorResponses(errorsOf(beside, requestBody !== undefined, isStored(beside, schema)))),
      },
      security: securityOf(access),
    };
    named.add(name);
    const parameters = parametersOf(route, field, included, takesFields(route, schema), schemas);
    const more = beside ? parametersOf(beside, fieldOf(beside), [], false, schemas) : [];
    const known = new Set(parameters.map(({ name }) => name));
    return { route, operation, parameters: [...parameters, ...more.filter(({ name }) => !known.has(name))] };
  });
}

/** `/locations/buildings` → `LocationsBuildings`, which makes the id of an operation's second route unique. */
const pascalPath = (path: string) => path.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Whether an operation returns stored rows rather than computed figures. */
function isStored({ operation: { type } }: Route, schema: GraphQLSchema): boolean {
  const rows = schema.getType(type);
  return isObjectType(rows) && rows.extensions.model !== undefined;
}

/** The errors that an operation can return. */
function errorsOf({ path, operation: { access, kind, action, mayBeGone } }: Route, hasBody: boolean, stored: boolean) {
  const writes = kind === 'Mutation';
  const creates = action === 'create' || action === 'batch';
  // The path of a singleton contains no id.
  const readsOne = path.includes(':') || (stored && !creates && action !== 'list' && action !== 'aggregate');
  const names: (ErrorName | false)[] = [
    'BadRequest',
    access !== 'public' && 'Unauthorized',
    access !== 'public' && access !== 'session' && access !== 'token' && 'Forbidden',
    readsOne && 'NotFound',
    // Also for a company that is not the token's.
    (writes || access !== 'public') && 'Conflict',
    mayBeGone === true && 'Gone',
    writes && !creates && 'PreconditionFailed',
    hasBody && 'PayloadTooLarge',
    hasBody && 'UnsupportedMediaType',
    hasBody && 'ValidationError',
    'TooManyRequests',
    'InternalError',
    'ServiceUnavailable',
  ];
  return names.filter((name) => name !== false);
}
