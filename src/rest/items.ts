import type { FastifyRequest } from 'fastify';
import type { GraphQLField } from 'graphql';
import { findMissingRead } from '../auth/access.ts';
import type { Context } from '../context.ts';
import { itemBody } from '../http/envelope.ts';
import type { ApiResponse } from '../idempotency.ts';
import { stringifyJson } from '../json.ts';
import { type Action, etagOfText, preconditionFailed } from '../resource/index.ts';
import { createBodyReader } from './body.ts';
import { ifMatchOf, prefersLenient, prefersRepresentation } from './conditions.ts';
import { changedFields } from './envelope.ts';
import { withIncluded } from './include.ts';
import { fieldName } from './names.ts';
import { type RestOperation, type Result, runOperation, selectFields } from './operations.ts';
import { createParameterReader, type ParameterInput, type Values } from './parameters.ts';
import { createVirtualFieldFinder } from './virtual-fields.ts';
import { readWrites } from './writes.ts';

/** Responds to a request for anything but a list. */
type Respond = (request: FastifyRequest, context: Context) => Promise<ApiResponse>;

/** Creates the responder of a route that is not a list. */
export function createItemResponder(restOperation: RestOperation): Respond {
  const { route, field, reading } = restOperation;
  const { action, kind } = route.operation;
  const readParameters = createParameterReader(restOperation);
  const readBody = createBodyReader(restOperation);
  const findVirtualFields = createVirtualFieldFinder(restOperation);

  return async (request, context) => {
    const given = readParameters(request);
    const { variables, include, fields } = given;
    if (include.length > 0 || fields) return respondWithSome(request, given, context);
    return respondWithResult(request, variables, context);
  };

  async function respondWithSome(
    request: FastifyRequest,
    { variables, include, fields }: ParameterInput,
    context: Context,
  ): Promise<ApiResponse> {
    const { data, etag } = await runOperation<Values>(reading({ include, fields }), variables, context);
    // Other rows change independently of the row, so its ETag does not apply to what shows them.
    const isOwn = include.length === 0 && !fields?.hasRelated;
    return toResponse(withIncluded(data, include), isOwn ? etag : undefined, request);
  }

  async function respondWithResult(request: FastifyRequest, variables: Values, context: Context): Promise<ApiResponse> {
    if (action === 'write' && prefersLenient(request)) return respondLeniently(request, variables, context);
    const input = await readBody(request, context);
    const condition = kind === 'Mutation' ? readCondition(request, field) : {};
    const given = { ...variables, ...input, ...condition };
    if (findMissingRead(context.caller, route.operation)) {
      const known = selectFields(restOperation, knownFields(action, request));
      const { data } = await runOperation<Values | Values[]>(known, given, context);
      return toResponse(Array.isArray(data) ? data.map(unread) : data, undefined, request);
    }
    const result = await runOperation<Values>(restOperation, given, context);
    const { data, changed = [] } = result;
    const shown =
      action === 'update' && !prefersRepresentation(request)
        ? changedFields(data, [
            ...Object.keys(request.body ?? {}),
            ...changed.map(fieldName),
            ...findVirtualFields(changed),
          ])
        : data;
    return toResponse(shown, action === 'read' ? readEtag(result) : result.etag, request);
  }

  async function respondLeniently(request: FastifyRequest, variables: Values, context: Context): Promise<ApiResponse> {
    const { input, merge } = readWrites(field, request);
    const isUnread = findMissingRead(context.caller, route.operation) !== undefined;
    const shown = isUnread ? selectFields(restOperation, knownFields(action, request)) : restOperation;
    const { data } = await runOperation<Values[]>(shown, { ...variables, ...input, handling: 'lenient' }, context);
    const results = merge(data);
    return toResponse(isUnread ? results.map(unread) : results, undefined, request);
  }

  function toResponse(data: unknown, etag: string | undefined, { id }: FastifyRequest): ApiResponse {
    const { status } = route;
    return status === 204 ? { status } : { status, body: stringifyJson(itemBody(data, id)), etag };
  }
}

/** Answers a write with what an operation reads. @param id that of what was written */
export async function respondWith(
  read: RestOperation,
  id: string,
  { id: requestId }: Pick<FastifyRequest, 'id'>,
  context: Context,
): Promise<ApiResponse> {
  const { data } = await runOperation<Values>(read, { [variableOf(read.route.path)]: id }, context);
  return { status: 201, body: stringifyJson(itemBody(data, requestId)) };
}

/** The variable of a path that names what is read. */
export const variableOf = (path: string): string => /:(\w+)/.exec(path)?.[1] ?? 'id';

/** The ETag of a read: the row's own, or a hash of what is not a row. */
const readEtag = ({ data, etag }: Result): string => etag ?? etagOfText(stringifyJson(data));

/** Reads `If-Match`. Without an ETag, only `*` can match. @throws ServiceError BAD_REQUEST, PRECONDITION_FAILED */
function readCondition(request: FastifyRequest, { args }: GraphQLField<unknown, unknown>): Values {
  const ifMatch = request.method === 'POST' ? undefined : ifMatchOf(request);
  if (ifMatch === undefined) return {};
  if (args.some(({ name }) => name === 'ifMatch')) return { ifMatch };
  if (ifMatch !== '*') throw preconditionFailed('This route has no ETags, so If-Match can only be *.');
  return {};
}

/** The fields of an answer that a caller who may not read the row knows. */
const knownFields = (action: Action, { body }: FastifyRequest): readonly string[] =>
  action === 'write' ? ['action', 'id', 'error'] : ['id', ...Object.keys(body ?? {}), 'updated_at'];

/** What became of a write, for a caller who may not read the row. */
const unread = ({ action, id, error }: Values): Values => ({ action, id, etag: null, row: null, error });
