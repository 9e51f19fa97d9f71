import { approvers } from '../../auth/roles.ts';
import type { AiUsageEvent as UsageRow } from '../../database/generated/client/client.ts';
import {
  createRow,
  currentUser,
  defineNewRows,
  defineOperation,
  defineType,
  own,
  requiredOfClient,
} from '../../resource/index.ts';

/** Uses of AI features. They are no resource: they are recorded, and read only as sums. */
export const AiUsageEvent = defineNewRows('AiUsageEvent', {
  fields: {
    feature: {},
    model: {},
    userId: { default: currentUser, mayBeDeactivated: true },
    inputTokens: {},
    outputTokens: {},
    costUsd: {},
    occurredAt: {},
  },
  access: { create: own('userId', { except: approvers }) },
});
const columns = Object.keys(AiUsageEvent.fields);
const required = requiredOfClient(AiUsageEvent);

const UsageEvent = defineType((kit) =>
  kit.builder.objectRef<UsageRow>('AiUsageEvent').implement({
    description: 'One use of an AI feature.',
    fields: (t) => kit.columnFields(t, AiUsageEvent, ['id', ...columns, 'createdAt']),
  }),
);

const Input = defineType((kit) =>
  kit.builder.inputType('RecordAiUsageInput', {
    description: 'One use of an AI feature.',
    fields: (t) => kit.inputFields(t, AiUsageEvent, columns, required),
  }),
);

/** Records one use of an AI feature. Apps that use AI act for the whole company, so no single scope group fits. */
export const recordUsage = defineOperation({
  action: 'create',
  rest: false,
  field: 'recordAiUsage',
  label: 'Record a use',
  path: '/ai-usage',
  access: 'write-all',
  type: AiUsageEvent.type,
  policies: AiUsageEvent.policies,
  description: 'Record one use of an AI feature.',
  returns: UsageEvent,
  args: (arg, kit) => ({ input: arg({ type: Input(kit), required: true, description: 'The use to record.' }) }),
  run: ({ input }, context) => createRow(AiUsageEvent, input, { required, context }),
});
