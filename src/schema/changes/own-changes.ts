import type { Context } from '../../context.ts';
import { readOwnChanges } from '../../events/log.ts';
import type { Resource, Row } from '../../resource/index.ts';
import { ChangeView, loggedTypes } from './change-view.ts';

/** The most changes that a dry run shows. */
const maxShown = 1000;

/** What the present transaction would change, as GraphQL shows changes. */
export interface OwnChanges {
  readonly changes: readonly {
    readonly resource: string;
    readonly rowId: string;
    readonly action: string;
    readonly fields: readonly string[];
    readonly before: Row | null;
    readonly after: Row | null;
  }[];
  /** Whether there are more than these. */
  readonly hasMoreChanges: boolean;
}

/** Finds the changes of the present transaction that its caller may see, in their order: at most 1,000. */
export async function findOwnChanges(context: Context, resources: readonly Resource[]): Promise<OwnChanges> {
  const view = new ChangeView(loggedTypes(resources), context);
  // Unscoped, as Prisma has no such query; its SQL names the company of the caller.
  const logged = await readOwnChanges(context.unscopedDb, context.caller, maxShown + 1);
  const visible = await view.projectAll(logged.slice(0, maxShown));
  return {
    changes: visible.map(({ rowType, rowId, action, fields, before, after }) => ({
      resource: rowType.name,
      rowId,
      action: action.toUpperCase(),
      fields,
      before: before?.inGraphql() ?? null,
      after: after?.inGraphql() ?? null,
    })),
    hasMoreChanges: logged.length > maxShown,
  };
}
