import { expect, test } from '@jest/globals';
import { ownerContext } from '../../../src/background/owner.ts';
import { Prisma } from '../../../src/database/generated/client/client.ts';
import type { Database } from '../../../src/database/index.ts';
import { modelOf } from '../../../src/database/read/schema-models.ts';
import { checkFields } from '../../../src/resource/write/input.ts';
import { AiUsageEvent } from '../../../src/schema/ai-usage/event.ts';

test('defaults have the type of their column', async () => {
  const owner = { companyId: '', timeZone: 'UTC', userId: '', role: 'ADMIN' } as const;
  // Nothing is read: the context has no database.
  const database = { readerOf: (access) => ({ access }), writerOf: () => ({}) } as Database;
  const context = ownerContext(
    database,
    { storage: { models: modelOf, rowFilters: () => () => undefined, readableFiles: async () => new Set<string>() } },
    owner,
    'test',
  );
  const { data } = await checkFields(AiUsageEvent, 'create', { input: {}, required: [], context });
  expect(Prisma.Decimal.isDecimal(data['costUsd'])).toBe(true);
  expect(data['occurredAt']).toBeInstanceOf(Date);
});
