import { callerId } from '../../context.ts';
import { resource } from '../../resource/define.ts';
import { withActivity } from './activity.ts';
import { requestThread } from './thread.ts';

/** Move requests (spec §4). */
export const MoveRequest = resource('MoveRequest', {
  path: '/move-requests',
  scope: 'move_requests',
  actions: ['list', 'read', 'create', 'update', 'replace', 'delete'],
  fields: [
    'title',
    'description',
    'priority',
    'scheduledDate',
    'fromLocation',
    'toLocation',
    'status',
    'assignedTo',
    'createdBy',
    'completedAt',
  ],
  relations: ['assignee', 'creator'],
  search: ['title', 'description'],
  input: ['title', 'description', 'priority', 'scheduledDate', 'fromLocation', 'toLocation', 'assignedTo'],
  update: ['status'],
  defaults: { createdBy: callerId },
  compose: withActivity,
  updating: withActivity,
});

requestThread(MoveRequest, 'moveRequestId');
