import { type Context, callerId, inTransaction } from '../../context.ts';
import type { AiUsageEvent } from '../../database/generated/client/client.ts';
import { type FieldErrors, validationError } from '../../errors.ts';
import {
  checkBody,
  explainDatabaseError,
  findDanglingReferences,
  modelFacts,
  type Row,
  requiredColumns,
  type SchemaKit,
} from '../../resource/index.ts';

const columns = ['feature', 'model', 'userId', 'inputTokens', 'outputTokens', 'costUsd', 'occurredAt'] as const;
const required = requiredColumns('AiUsageEvent', columns).filter((column) => column !== 'userId');
/** The parts of a resource that validation needs. Events are no resource: they are recorded, and read only as sums. */
const AiUsage = { type: 'AiUsageEvent', model: 'AiUsageEvent', fields: {}, nestedItems: {} } as const;

/** Adds the mutation that records one use of an AI feature. */
export function addUsageEvent(kit: SchemaKit): void {
  const { builder } = kit;
  const UsageEvent = builder.objectRef<AiUsageEvent>('AiUsageEvent').implement({
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
    resolve: (args, context) => recordUsage(args.input, context),
  });
}

/**
 * Records one use of an AI feature, by the caller unless the input names another user.
 * @throws ServiceError VALIDATION_ERROR
 */
export async function recordUsage(input: Row, context: Context): Promise<AiUsageEvent> {
  const { data, errors } = checkBody(input, modelFacts('AiUsageEvent').columns, {}, required);
  await assertValid(errors, data, context);
  // The columns were checked one by one, so without errors the data is a valid row.
  const event = { userId: callerId(context), ...data } as Parameters<
    Context['db']['aiUsageEvent']['create']
  >[0]['data'];
  try {
    return await inTransaction(context, () => context.db.aiUsageEvent.create({ data: event }));
  } catch (error) {
    throw await explainDatabaseError(error, AiUsage, event, context);
  }
}

async function assertValid(errors: FieldErrors, data: Row, context: Context): Promise<void> {
  if (Object.keys(errors).length === 0) return;
  throw validationError({ ...(await findDanglingReferences(AiUsage, data, context)), ...errors });
}
