import type { Context } from '../../context.ts';
import { readStatusPeriods, type StatusPeriod } from '../../events/status-periods.ts';
import { words } from '../../names.ts';
import {
  enumOf,
  hasStatus,
  loadTogether,
  memberOf,
  modelFacts,
  type Row,
  type SchemaKit,
} from '../../resource/index.ts';

/** Adds to each resource with a status the periods in which its rows had each status. */
export function addStatusPeriods(kit: SchemaKit): void {
  const StatusPeriod = kit.builder.objectRef<StatusPeriod>('StatusPeriod').implement({
    description: 'A period in which a row had a status.',
    fields: (t) => ({
      status: t.exposeString('status', { description: 'The status.' }),
      enteredAt: t.field({
        type: 'DateTime',
        description: 'Start of the period.',
        resolve: ({ enteredAt }) => enteredAt,
      }),
      leftAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'End of the period. Null for the current status.',
        resolve: ({ leftAt }) => leftAt,
      }),
    }),
  });
  for (const resource of kit.resources) {
    if (!hasStatus(resource)) continue;
    const { type, model } = resource;
    const { table } = modelFacts(model);
    const enumName = enumOf(model, 'status');
    kit.addField(resource, 'statusPeriods', (t) =>
      t.field({
        type: [StatusPeriod],
        description: `The statuses that the ${words(type)} has had, in order; at most the latest 100.`,
        extensions: { rest: false },
        select: { id: true },
        async resolve(row: Row, _args: object, context: Context) {
          // Unscoped, as Prisma has no such query: its SQL names the company of the caller.
          const { unscopedDb, caller } = context;
          const load = (rowIds: readonly string[]) => readStatusPeriods(unscopedDb, caller, { table, rowIds });
          const periods = await loadTogether(context, `status periods ${type}`, String(row['id']), load);
          return (periods ?? []).map((period) => ({ ...period, status: memberOf(enumName, period.status) }));
        },
      }),
    );
  }
}
