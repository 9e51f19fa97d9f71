import { callerId } from '../../context.ts';
import type { AiUsageEvent } from '../../database/generated/client/client.ts';
import { builder } from '../../resource/builder.ts';
import { shownOf } from '../../resource/etag.ts';
import { requiredOf } from '../../resource/lines.ts';
import type { Row } from '../../resource/lists.ts';
import { columnFacts } from '../../resource/model.ts';
import { rootField } from '../../resource/operations.ts';
import { columnType, inputField } from '../../resource/types.ts';
import { createRow, type Writing } from '../../resource/writes.ts';

const columns = ['feature', 'model', 'userId', 'inputTokens', 'outputTokens', 'costUsd', 'occurredAt'] as const;
const required = requiredOf('AiUsageEvent', columns).filter((column) => column !== 'userId');
const writing: Writing = {
  type: 'AiUsageEvent',
  model: 'AiUsageEvent',
  shown: shownOf('AiUsageEvent', columns),
  rules: {},
  defaults: { userId: callerId },
};

const Event = builder.objectRef<AiUsageEvent>('AiUsageEvent').implement({
  description: 'One use of an AI feature.',
  fields: (t) =>
    Object.fromEntries(
      (['id', ...columns, 'createdAt'] as const).map((column) => {
        const { required, documentation } = columnFacts('AiUsageEvent', column);
        const description = documentation ?? (column === 'id' ? 'Its id, a uuid.' : 'When it was recorded.');
        // The column's type is the field's, which the compiler cannot see.
        return [
          column,
          t.field({
            type: columnType('AiUsageEvent', column),
            nullable: !required,
            description,
            resolve: (row) => row[column] as never,
          }),
        ];
      }),
    ),
});

const Input = builder.inputType('RecordAiUsageInput', {
  description: 'One use of an AI feature.',
  fields: (t) =>
    Object.fromEntries(
      columns.map((column) => [column, inputField(t, 'AiUsageEvent', column, required.includes(column))]),
    ),
});

// Whatever uses AI does so on behalf of all of the company, so no single family's scope covers it.
rootField({
  action: 'create',
  rest: false,
  field: 'recordAiUsage',
  path: '/ai-usage',
  access: 'write-all',
  type: 'AiUsageEvent',
  description: 'Records one use of an AI feature.',
  returns: Event,
  args: (arg) => ({ input: arg({ type: Input, required: true, description: 'What was used.' }) }),
  resolve: (args, context) =>
    createRow(writing, undefined, { body: args['input'] as Row, required, context, selection: {} }),
});
