// Describes the routes whose body or response is a file.

import { uuid } from '../../fields/index.ts';
import { pathVariable, spaced } from '../../names.ts';
import type { ServedFile } from '../../resource/index.ts';
import { fileRoute, isForRows } from '../files.ts';
import { ndjson } from '../stream.ts';
import { exampleOf } from './examples.ts';
import { headersOf } from './headers.ts';
import type { DescribedOperation } from './operations.ts';
import { errorResponses } from './responses.ts';
import { requirement, securityOf } from './security.ts';
import type { Named } from './shared.ts';
import { tagOf } from './tags.ts';
import { type JsonSchema, type OpenapiOperation, type Part } from './types.ts';
import { uploadParameters, uploadResponses } from './uploads.ts';

const bytes: JsonSchema = { type: 'string', format: 'binary' };

const contentOf = (types: readonly string[]): Part =>
  Object.fromEntries(types.map((type) => [type, { schema: bytes }]));

/** The body of a request: the file, or a form that has it. */
const bodyOf = (types: readonly string[]): Part => ({
  required: true,
  description: 'The file.',
  content: Object.fromEntries(
    types.map((type) => [
      type,
      { schema: type === formType ? { type: 'object', required: ['file'], properties: { file: bytes } } : bytes },
    ]),
  ),
});

/** What a variable of a path is the id of: `fileId` says it, and `id` is what the route is about. */
const nounOf = (name: string, { words }: ServedFile['operation']): string =>
  name === 'id' ? words.noun : spaced(pathVariable(name));

const formType = 'multipart/form-data';

/** What a route of files answers. @param answers the operation that shows what was added */
function successOf(
  file: ServedFile,
  answers: (field: string) => OpenapiOperation | undefined,
): Readonly<Record<string, Part>> {
  switch (file.does) {
    case 'receive':
      return { 204: { description: 'The file has arrived.', headers: headersOf() } };
    case 'add': {
      const shown = answers(file.answer)?.responses['200'];
      return { 201: { ...shown, description: 'The file has arrived.', headers: headersOf('Location') } };
    }
    case 'send':
      return {
        200: {
          description: 'The file.',
          headers: headersOf('Content-Disposition', ...(file.hasParts ? partHeaders : [])),
          content: contentOf(file.mediaTypes),
        },
        ...(file.hasParts && {
          206: {
            description: 'The part that `Range` asks for.',
            headers: headersOf('Content-Disposition', 'Content-Range', ...partHeaders),
            content: contentOf(file.mediaTypes),
          },
          ...(file.link === 'read' && {
            302: { description: 'The file is at `Location`, for a minute.', headers: headersOf('Location') },
          }),
          304: { description: 'The file still matches `If-None-Match`.', headers: headersOf('ETag') },
          416: { description: 'The file has no such part.', headers: headersOf('Content-Range') },
        }),
      };
    default:
      return { 204: { description: 'Done.', headers: headersOf() } };
  }
}

const partHeaders = ['ETag', 'Accept-Ranges'] as const;

/** Adds to the routes of many writes that they take NDJSON, as the route of files of rows does. */
export function withRows(described: DescribedOperation, rows: DescribedOperation | undefined): DescribedOperation {
  const { route, operation, parameters } = described;
  const { requestBody, responses } = operation;
  if (!rows || !requestBody || !isForRows(route)) return described;
  const { content } = requestBody as { readonly content: Part };
  const accepted = {
    ...rows.operation.responses['201'],
    description: 'The rows of NDJSON have arrived, and become an import.',
  };
  const known = ['resource', ...parameters.map(({ part }) => part['name'])];
  return {
    route,
    parameters: [...parameters, ...rows.parameters.filter(({ part }) => !known.includes(part['name']))],
    operation: {
      ...operation,
      requestBody: { ...requestBody, content: { ...content, [ndjson]: { schema: bytes } } },
      responses: { ...responses, 202: accepted },
    },
  };
}

/**
 * Describes a route of files.
 *
 * @param answers finds the operation of a field as it is described
 */
export function describeFile(
  file: ServedFile,
  answers: (field: string) => OpenapiOperation | undefined,
): DescribedOperation {
  const { operation, description, does, mediaTypes, parameters = [] } = file;
  const { field, access, type } = operation;
  const route = fileRoute(file);
  const receives = does === 'receive' || does === 'add' || (does === 'resume' && mediaTypes.length > 0);
  const changes = receives || does === 'put' || does === 'remove';
  const variables = [...route.path.matchAll(/:(\w+)/g)].map(
    ([, name = '']): Part => ({
      ...{ name: pathVariable(name), in: 'path', required: true, description: `ID of the ${nounOf(name, operation)}.` },
      schema: { ...uuid.jsonSchema('input'), examples: [exampleOf('ID', undefined, type)] },
    }),
  );
  const query = parameters.map(
    ({ name, description, required = false, values, maxLength = 500 }): Part => ({
      ...{ name, in: 'query', required, description },
      schema: { type: 'string', ...(values ? { enum: values } : { maxLength }) },
    }),
  );
  const described = {
    operationId: field,
    tags: [tagOf(operation).name],
    summary: description.replace(/[.:,].*$/s, ''),
    description: `${description} ${requirement(access)}`,
    ...(receives && { requestBody: bodyOf(mediaTypes) }),
    responses:
      file.does === 'resume'
        ? uploadResponses(file)
        : {
            ...successOf(file, answers),
            ...errorResponses([
              ...(['BadRequest', 'Unauthorized', 'Forbidden'] as const),
              ...(variables.length > 0 ? (['NotFound'] as const) : []),
              ...(changes ? (['Conflict', 'ValidationError'] as const) : []),
              ...(receives ? (['PayloadTooLarge', 'UnsupportedMediaType'] as const) : []),
              ...(['TooManyRequests', 'InternalError', 'ServiceUnavailable'] as const),
            ]),
          },
    security: securityOf(access),
  };
  const named = (part: Part): Named => ({ name: String(part['name']), part });
  const more = file.does === 'resume' ? uploadParameters(file) : [];
  return { route, operation: described, parameters: [...[...variables, ...query].map(named), ...more] };
}
