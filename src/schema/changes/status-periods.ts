import type { Context } from '../../context.ts';
import type { ApiField } from '../../database/stored-field.ts';
import { readStatusPeriods, type StatusPeriod } from '../../events/status-periods.ts';
import {
  defineField,
  defineType,
  forEachResource,
  loadTogether,
  type Resource,
  type Row,
  shownStatus,
} from '../../resource/index.ts';

const StatusPeriodType = defineType(({ builder }) =>
  builder.objectRef<StatusPeriod>('StatusPeriod').implement({
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
  }),
);

/** The periods in which the rows of each resource with a status had each status. */
export const statusPeriods = forEachResource((resource) => {
  const status = shownStatus(resource);
  return status ? [periodsOf(resource, status)] : [];
});

function periodsOf(resource: Resource, { type: { shown } }: ApiField) {
  const { type, words, table } = resource;
  return defineField(resource, 'statusPeriods', (t, kit) =>
    t.field({
      type: [StatusPeriodType(kit)],
      description: `The statuses that the ${words.noun} has had, in order; at most the latest 100.`,
      extensions: { rest: false },
      select: { id: true },
      async resolve(row: Row, _args: object, context: Context) {
        // Unscoped, as Prisma has no such query: its SQL names the company of the caller.
        const { unscopedDb, caller } = context;
        const load = (rowIds: readonly string[]) => readStatusPeriods(unscopedDb, caller, { table, rowIds });
        const periods = await loadTogether(context, `status periods ${type}`, String(row['id']), load);
        return (periods ?? []).map((period) => ({ ...period, status: shown(period.status, 'member') }));
      },
    }),
  );
}
