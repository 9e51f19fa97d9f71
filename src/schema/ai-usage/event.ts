import type { AiUsageEvent as UsageRow } from '../../database/generated/client/client.ts';
import { createRow, currentUser, defineNewRows, requiredOfClient, type SchemaKit } from '../../resource/index.ts';

/** Uses of AI features. They are no resource: they are recorded, and read only as sums. */
export const AiUsageEvent = defineNewRows('AiUsageEvent', {
  fields: {
    feature: {},
    model: {},
    userId: { default: currentUser },
    inputTokens: {},
    outputTokens: {},
    costUsd: {},
    occurredAt: {},
  },
});
const columns = Object.keys(AiUsageEvent.fields);
const required = requiredOfClient(AiUsageEvent);

/** Adds the mutation that records one use of an AI feature. */
export function addUsageEvent(kit: SchemaKit): void {
  const { builder } = kit;
  const UsageEvent = builder.objectRef<UsageRow>('AiUsageEvent').implement({
    description: 'One use of an AI feature.',
    fields: (t) => kit.columnFields(t, 'AiUsageEvent', ['id', ...columns, 'createdAt']),
  });
  const Input = builder.inputType('RecordAiUsageInput', {
    description: 'One use of an AI feature.',
    fields: (t) => kit.inputFields(t, 'AiUsageEvent', columns, required),
  });
  // Apps that use AI act for the whole company, so no single scope group fits.
  kit.addOperation({
    action: 'create',
    rest: false,
    field: 'recordAiUsage',
    path: '/ai-usage',
    access: 'write-all',
    type: 'AiUsageEvent',
    description: 'Record one use of an AI feature.',
    returns: UsageEvent,
    args: (arg) => ({ input: arg({ type: Input, required: true, description: 'The use to record.' }) }),
    resolve: ({ input }, context) => createRow(AiUsageEvent, undefined, { input, required, context, selection: {} }),
  });
}
