import { uuid } from '../../fields/index.ts';
import type { LoggedType } from '../../schema/changes/change-view.ts';
import { reportedActionsOf } from '../../schema/changes/occurrences.ts';
import { fieldName } from '../names.ts';
import type { Schemas } from './schemas.ts';
import { type JsonSchema, type OpenapiOperation, type Part, ref, type Tag } from './types.ts';

/** The tag of the messages. */
export const webhookTag: Tag = {
  name: 'Webhooks',
  description:
    'Messages that the service sends to the URLs of webhooks, signed as the Standard Webhooks specification requires.',
};

const id = uuid.jsonSchema('output');

/** The headers of a message, as Standard Webhooks name them. */
export const webhookHeaders: Readonly<Record<string, Part>> = {
  WebhookId: header('webhook-id', 'ID of the message, the same in all attempts.', id),
  WebhookTimestamp: header('webhook-timestamp', 'Time of the attempt, in seconds since 1970.', {
    type: 'string',
    pattern: '^\\d{10,11}$',
    maxLength: 11,
    examples: ['1772445600'],
  }),
  WebhookSignature: header(
    'webhook-signature',
    'Signatures of `<webhook-id>.<webhook-timestamp>.<body>` by HMAC-SHA256 in base64, separated by spaces; two while the secret is rotated.',
    {
      type: 'string',
      pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$',
      maxLength: 100,
      examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='],
    },
  ),
};

function header(name: string, description: string, schema: JsonSchema): Part {
  return { name, in: 'header', required: true, description, schema };
}

/**
 * Describes the messages of webhooks: one for each type whose changes they get, and the test event.
 * @param schemas gets the schemas of the bodies
 */
export function describeWebhooks(
  types: readonly LoggedType[],
  schemas: Schemas,
): Readonly<Record<string, { readonly post: OpenapiOperation }>> {
  const all = types.map((type) => {
    const name = type.name.toLowerCase();
    const text = `A change of ${type.words.noun} rows.`;
    return [name, message(`${type.type}Message`, text, changeMessage(name, type, schemas), schemas)] as const;
  });
  const test = message('TestMessage', 'A test event, which `sendTestWebhook` sends.', testMessage, schemas);
  return Object.fromEntries([...all, ['test', test]]);
}

function message(name: string, description: string, body: JsonSchema, schemas: Schemas): { post: OpenapiOperation } {
  return {
    post: {
      operationId: `receive${name}`,
      tags: [webhookTag.name],
      summary: description.replace(/[.,].*$/s, ''),
      description,
      security: [{}],
      parameters: Object.keys(webhookHeaders).map((each) => ref('parameters', each)),
      requestBody: {
        required: true,
        description: 'The message.',
        content: { 'application/json': { schema: schemas.named(name, () => ({ description, ...body })) } },
      },
      responses: {
        '2XX': { description: 'The message is accepted.' },
        410: { description: 'The webhook is turned off.' },
        default: { description: 'The message is sent again later.' },
      },
    },
  };
}

/** The parts of all messages. */
const messageOf = (types: readonly string[], data: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['type', 'timestamp', 'data'],
  properties: {
    type: { type: 'string', enum: types, description: 'What happened.' },
    timestamp: { ...time, description: 'When it happened.' },
    data,
  },
});

const time: JsonSchema = { type: 'string', format: 'date-time', maxLength: 24, examples: ['2026-03-02T09:14:07.412Z'] };

const testMessage = messageOf(['test'], {
  type: 'object',
  description: 'What the message is about.',
  required: ['webhook'],
  properties: { webhook: { type: 'string', maxLength: 200, examples: ['CRM'], description: 'Name of the webhook.' } },
});

function changeMessage(name: string, type: LoggedType, schemas: Schemas): JsonSchema {
  const actions = ['create', 'update', 'delete', ...reportedActionsOf(type.table)];
  const image = imageOf(type, schemas);
  const or = (schema: JsonSchema) => ({ anyOf: [schema, { type: 'null' }] });
  return messageOf(
    actions.map((action) => `${name}.${action}`),
    {
      type: 'object',
      description: 'The change. Without a selection it has `before` and `after`, with one `row`.',
      required: ['version', 'resource', 'row_id', 'url', 'action', 'fields', 'actor'],
      properties: {
        version: {
          type: 'string',
          pattern: '^\\d{1,19}$',
          maxLength: 19,
          examples: ['812'],
          description: 'Of two changes to one row, the later has the higher number.',
        },
        resource: { type: 'string', const: name, description: 'What has changed.' },
        row_id: { ...id, description: 'ID of the row.' },
        url: {
          type: ['string', 'null'],
          format: 'uri',
          maxLength: 2048,
          examples: ['https://premises.example/c/acme/service-requests/019b6f3c-5a1e-7c40-8b21-6d1f0a9e4c33'],
          description: 'Address of the page of the row. Null if it has none, or was deleted.',
        },
        action: { type: 'string', enum: actions, description: 'What happened to the row.' },
        fields: {
          type: 'array',
          items: { type: 'string', enum: type.columns.map(fieldName) },
          description: 'The fields that an update changed. Empty for other actions.',
        },
        before: { ...or(image), description: 'The row before the change. Null for a new row.' },
        after: { ...or(image), description: 'The row after the change. Null for a deleted row.' },
        row: {
          type: ['object', 'null'],
          additionalProperties: true,
          description:
            'The selected fields of the row when the message is sent; null if the row was deleted in the meantime. For a deleted row, the selected columns before the deletion.',
          examples: [{ id: '019b6f3c-5a1e-7c40-8b21-6d1f0a9e4c33' }],
        },
        actor: { ...or(actorOf(schemas)), description: 'Who made the change. Null if the service did.' },
      },
    },
  );
}

/** The columns of a row. */
const imageOf = ({ type, words, stored, columns }: LoggedType, schemas: Schemas): JsonSchema =>
  schemas.named(`${type}Image`, () => ({
    type: 'object',
    description: `The columns of the ${words.noun}, as they were.`,
    required: columns.map(fieldName),
    properties: Object.fromEntries(columns.map((column) => [fieldName(column), schemas.column({ stored }, column)])),
  }));

const actorOf = (schemas: Schemas): JsonSchema =>
  schemas.named('MessageActor', () => ({
    type: 'object',
    description: 'Who made a change.',
    required: ['kind', 'user_id'],
    properties: {
      kind: { ...schemas.enumOf('ActorKind'), description: 'Kind of caller.' },
      user_id: { ...id, type: ['string', 'null'], description: 'The user, or the owner of the API token.' },
    },
  }));
