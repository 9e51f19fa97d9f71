import type { ListBelow } from '../definition/list-below.ts';
import type { Resource } from '../definition/resource.ts';

/**
 * Finds the lists whose rows can be created together with a row: lists that the API shows of it, and the rows of which
 * clients can create, when they know that row. Rows that belong to another one as well need to have it in common.
 *
 * @param shown the relations that the API shows of the row
 */
export function findListsBelow(
  resources: readonly Resource[],
  of: Resource,
  shown: readonly string[],
): readonly ListBelow[] {
  return Object.entries(of.lists).flatMap(([relation, { target, column }]) => {
    const [found, ...others] = resources.filter(
      (resource) =>
        resource.model === target.model &&
        !resource.isSingleton &&
        resource.actions.includes('create') &&
        (isParent(of, resource, column) || (shown.includes(relation) && canRefer(of, resource, column))),
    );
    return found && others.length === 0 ? [{ relation, resource: found, column }] : [];
  });
}

/** Whether rows are those of a sub-resource by a column. */
const isParent = (of: Resource, { parent }: Resource, column: string): boolean =>
  parent?.resource.type === of.type && parent.column === column;

/** Whether clients can create rows that refer to another one by a column. */
const canRefer = ({ parent: common }: Resource, { parent, fields }: Resource, column: string): boolean => {
  const field = fields[column];
  return field !== undefined && !field.readOnly && (!parent || parent.resource.type === common?.resource.type);
};
