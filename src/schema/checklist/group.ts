import { resource } from '../../resource/define.ts';
import { Checklist } from './checklist.ts';
import { place, unsaid } from './order.ts';

/** The headings that tasks of a checklist stand under. */
resource('ChecklistGroup', {
  path: '/groups',
  parent: { resource: Checklist, column: 'checklistId', relation: 'groups', hold: true },
  rest: ['list', 'create'],
  fields: ['checklistId', 'name', 'order'],
  relations: ['checklist', 'tasks'],
  input: ['name', 'order'],
  search: ['name'],
  defaults: { order: () => unsaid },
  async creating({ db, parent: { companyId, id: checklistId }, data }) {
    const {
      _max: { order },
    } = await db.checklistGroup.aggregate({ where: { companyId, checklistId }, _max: { order: true } });
    return { ...data, order: place(data.order, order) };
  },
});
