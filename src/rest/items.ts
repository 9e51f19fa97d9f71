import type { FastifyRequest } from 'fastify';
import type { GraphQLField } from 'graphql';
import { findMissingRead } from '../auth/access.ts';
import type { Context } from '../context.ts';
import { itemBody } from '../http/envelope.ts';
import type { ApiResponse } from '../idempotency.ts';
import { stringifyJson } from '../json.ts';
import { etagOfText, preconditionFailed } from '../resource/index.ts';
import { createBodyReader } from './body.ts';
import { ifMatchOf, prefersRepresentation } from './conditions.ts';
import { changedFields } from './envelope.ts';
import { withIncluded } from './include.ts';
import { fieldName } from './names.ts';
import { type RestOperation, type Result, runOperation, selectFields } from './operations.ts';
import { createParameterReader, type ParameterInput, type Values } from './parameters.ts';
import { createVirtualFieldFinder } from './virtual-fields.ts';

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
    const input = await readBody(request, context);
    const condition = kind === 'Mutation' ? readCondition(request, field) : {};
    const given = { ...variables, ...input, ...condition };
    if (findMissingRead(context.caller, route.operation)) {
      const known = selectFields(restOperation, ['id', ...Object.keys(request.body ?? {}), 'updated_at']);
      return toResponse((await runOperation(known, given, context)).data, undefined, request);
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

  function toResponse(data: unknown, etag: string | undefined, { id }: FastifyRequest): ApiResponse {
    const { status } = route;
    return status === 204 ? { status } : { status, body: stringifyJson(itemBody(data, id)), etag };
  }
}

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
