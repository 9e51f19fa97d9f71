import { type GraphQLOutputType, getNamedType, isObjectType } from 'graphql';
import { statusOf } from '../../errors.ts';
import { uuid } from '../../fields/index.ts';
import { maxPageSize } from '../../resource/index.ts';
import { exampleOf } from './examples.ts';
import { requestIdSchema } from './headers.ts';
import { count } from './scalars.ts';
import { type JsonSchema, ref } from './types.ts';

/** Maximum length of a cursor. */
export const cursorLength = 60_000;

const requestId: JsonSchema = { ...requestIdSchema, description: 'ID of the request, as in `X-Request-Id`.' };
const total: JsonSchema = { ...count, description: 'Number of rows on all pages.', examples: [1] };
const limit: JsonSchema = {
  ...count,
  minimum: 1,
  maximum: maxPageSize,
  description: 'Maximum number of rows per page.',
  examples: [25],
};

const listMeta: JsonSchema = {
  type: 'object',
  description: 'Metadata of a page of results.',
  required: ['total', 'limit', 'offset', 'pagination', 'request_id'],
  properties: {
    total,
    limit,
    offset: { ...count, description: 'Number of rows skipped.', examples: [0] },
    pagination: ref('schemas', 'Pagination'),
    request_id: requestId,
  },
};

/** The name of the metadata of a list: some say where the content of rows has the words of a search. */
export function listMetaOf(list: GraphQLOutputType): string {
  const type = getNamedType(list);
  return isObjectType(type) && 'matches' in type.getFields() ? 'SearchedListMeta' : 'ListMeta';
}

/** The parts that all response bodies have in common. */
export const envelopes: Readonly<Record<string, JsonSchema>> = {
  Meta: {
    type: 'object',
    description: 'Metadata of a response.',
    required: ['request_id'],
    properties: { request_id: requestId },
  },
  FeedMeta: {
    type: 'object',
    description: 'Metadata of a part of a feed.',
    required: ['is_truncated', 'request_id'],
    properties: {
      is_truncated: {
        type: 'boolean',
        description:
          'Whether the part begins where earlier changes have been deleted from the log, so that rows which have not changed since are missing: begin with `GET /snapshot` instead, and continue from its `position`. Never with `after`.',
        examples: [false],
      },
      request_id: requestId,
    },
  },
  ListMeta: listMeta,
  SearchedListMeta: {
    ...listMeta,
    properties: {
      ...listMeta.properties,
      matches: {
        type: 'array',
        maxItems: maxPageSize,
        description: 'Where the content of the rows has the words of `search`. Absent without it.',
        items: ref('schemas', 'SearchMatch'),
      },
    },
  },
  SearchMatch: {
    type: 'object',
    description: 'Where the content of a row has the words of a search.',
    required: ['id', 'page', 'text'],
    properties: {
      id: {
        ...uuid.jsonSchema('output'),
        description: 'ID of the row.',
        examples: [exampleOf('ID', undefined, 'Document')],
      },
      page: {
        type: ['integer', 'null'],
        format: 'int32',
        minimum: 1,
        maximum: count.maximum,
        description: 'Number of the page. Null where the content has no pages.',
        examples: [2],
      },
      text: {
        type: 'string',
        maxLength: 20_000,
        description: 'The words, with some around them.',
        examples: ['Close the main valve before you open the door of the boiler.'],
      },
    },
  },
  Pagination: {
    type: 'object',
    description: 'The position of a page in its list.',
    required: ['total', 'limit', 'has_more', 'next_cursor'],
    properties: {
      total,
      limit,
      has_more: { type: 'boolean', description: 'Whether more rows follow.', examples: [false] },
      next_cursor: {
        type: ['string', 'null'],
        maxLength: cursorLength,
        description: 'The `cursor` of the next page. Null on the last page.',
        examples: [null],
      },
    },
  },
  ErrorBody: {
    type: 'object',
    description: 'An error response.',
    required: ['error', 'meta'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'status'],
        properties: {
          code: { type: 'string', enum: Object.keys(statusOf), description: 'Machine-readable error code.' },
          message: {
            type: 'string',
            maxLength: 20_000,
            description: 'Human-readable message.',
            examples: ['Validation failed.'],
          },
          status: {
            type: 'integer',
            format: 'int32',
            minimum: 400,
            maximum: 599,
            description: 'The HTTP status.',
            examples: [422],
          },
          details: {
            type: 'object',
            additionalProperties: { type: 'string', maxLength: 20_000 },
            description: 'The problem with each invalid field, by its path: `line_items.3.quantity`.',
            examples: [{ title: 'is required' }],
          },
        },
      },
      meta: ref('schemas', 'Meta'),
    },
  },
};
