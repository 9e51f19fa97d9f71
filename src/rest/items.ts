import type { FastifyRequest } from 'fastify';
import type { GraphQLField } from 'graphql';
import type { Context } from '../context.ts';
import { itemBody } from '../http/envelope.ts';
import { etagOfText, preconditionFailed } from '../resource/index.ts';
import { createBodyReader } from './body.ts';
import { ifMatchOf, prefersRepresentation } from './conditions.ts';
import { changedFields } from './envelope.ts';
import type { RestResponse } from './idempotency.ts';
import { withIncluded } from './include.ts';
import { fieldName } from './names.ts';
import { type RestOperation, type Result, runOperation } from './operations.ts';
import { createAddressReader, type Values } from './parameters.ts';

/** Responds to a request for anything but a list. */
export type Respond = (request: FastifyRequest, context: Context) => Promise<RestResponse>;

/** Creates the responder of a route that is not a list. */
export function createItemResponder(restOperation: RestOperation): Respond {
  const { route, field, including } = restOperation;
  const { action, kind } = route.operation;
  const readAddress = createAddressReader(restOperation);
  const readBody = createBodyReader(restOperation);

  return async (request, context) => {
    const { variables, include } = readAddress(request);
    if (include.length > 0) {
      const { data } = await runOperation(including(include), variables, context);
      // Included rows change independently of the row, so its ETag does not apply.
      return toResponse(withIncluded(data as Values, include), undefined, request);
    }
    const input = await readBody(request, context);
    const condition = kind === 'Mutation' ? readCondition(request, field) : {};
    const changed: string[] = [];
    const result = await runOperation(
      restOperation,
      { ...variables, ...input, ...condition },
      { ...context, onChange: (fields) => changed.push(...fields) },
    );
    const { data } = result;
    const shown =
      action === 'update' && !prefersRepresentation(request)
        ? changedFields(data as Values, [...Object.keys(request.body as Values), ...changed.map(fieldName)])
        : data;
    return toResponse(shown, action === 'read' ? readEtag(result) : result.etag, request);
  };

  function toResponse(data: unknown, etag: string | undefined, { id }: FastifyRequest): RestResponse {
    const { status } = route;
    return status === 204 ? { status } : { status, body: JSON.stringify(itemBody(data, id)), etag };
  }
}

/** The ETag of a read: the row's own, or a hash of what is not a row. */
const readEtag = ({ data, etag }: Result): string => etag ?? etagOfText(JSON.stringify(data));

/** Reads `If-Match`. Without an ETag, only `*` can match. @throws ServiceError BAD_REQUEST, PRECONDITION_FAILED */
function readCondition(request: FastifyRequest, { args }: GraphQLField<unknown, unknown>): Values {
  const ifMatch = request.method === 'POST' ? undefined : ifMatchOf(request);
  if (ifMatch === undefined) return {};
  if (args.some(({ name }) => name === 'ifMatch')) return { ifMatch };
  if (ifMatch !== '*') throw preconditionFailed('What is at this address has no ETag.');
  return {};
}
