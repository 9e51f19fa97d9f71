import type { Context } from '../../context.ts';
import { resource } from '../../resource/define.ts';
import type { Target } from '../../resource/writes.ts';
import { Checklist } from './checklist.ts';
import { place, unsaid } from './order.ts';

/** The tasks of a checklist. */
resource('ChecklistTask', {
  path: '/tasks',
  parent: { resource: Checklist, column: 'checklistId', relation: 'tasks', hold: true },
  fields: ['checklistId', 'title', 'description', 'order', 'groupId'],
  relations: ['checklist', 'group'],
  input: ['title', 'description', 'order', 'groupId'],
  search: ['title', 'description'],
  defaults: { order: () => unsaid },
  async read({ context, target, data: { groupId }, faults }) {
    if (groupId != null && !(await isBeside(groupId, target, context)))
      faults['groupId'] = 'names no group of this checklist';
  },
  async creating({ db, parent: { companyId, id: checklistId }, data }) {
    const {
      _max: { order },
    } = await db.checklistTask.aggregate({ where: { companyId, checklistId }, _max: { order: true } });
    return { ...data, order: place(data.order, order) };
  },
});

/**
 * Whether a group is of the same checklist as a task. Neither ever goes to another, so what was looked up stays true.
 * Where there is no such checklist or task nothing is said of the group: writing finds them missing.
 */
async function isBeside(groupId: string, task: Target, { db, caller: { companyId } }: Context): Promise<boolean> {
  const checklist = await db.checklist.findFirst({
    where: { companyId, ...(task.id === undefined ? { id: task.parentId } : { tasks: { some: { id: task.id } } }) },
    select: { groups: { where: { id: groupId }, select: { id: true } } },
  });
  return checklist === null || checklist.groups.length > 0;
}
