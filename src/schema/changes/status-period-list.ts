import { permits } from '../../auth/access.ts';
import type { Context } from '../../context.ts';
import { type Definition, defineListing, type Resource, shownStatus } from '../../resource/index.ts';

/**
 * The periods of the statuses of all rows, in one list. It has those of the resources that the caller may read; of
 * deleted rows nothing but the periods is known, so that nobody could say which of them a caller who may read only some
 * rows could have read.
 *
 * @param definitions those whose rows have statuses
 */
export function statusPeriodList(definitions: readonly Definition[]): Resource {
  const resources = definitions.flatMap((each) => (each.kind === 'resource' && shownStatus(each) ? [each] : []));
  return defineListing('StatusPeriod', {
    // It opens nothing by itself.
    scope: 'service_requests',
    fields: { resource: {}, rowId: {}, status: {}, enteredAt: {}, leftAt: {} },
    list: { measures: { hours: { description: 'How long it was.', hours: ['enteredAt', 'leftAt'] } } },
    graphql: { type: 'ListedStatusPeriod' },
    words: { one: 'a status period' },
    rest: { path: '/status-periods' },
    requires: {
      access: 'caller',
      tag: { name: 'Status periods', description: 'When rows had which status.' },
    },
    filter: (context) => ({ resource: { in: readableTables(resources, context) } }),
  });
}

/** The tables of the resources of which a caller may read all rows. */
const readableTables = (resources: readonly Resource[], context: Context): string[] =>
  resources.flatMap(({ table, scope, model, type }) =>
    permits(context.caller, `${scope}:read`) && !context.reader.access.filterOf(model, type) ? [table] : [],
  );
