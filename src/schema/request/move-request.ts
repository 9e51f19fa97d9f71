import { admins } from '../../auth/roles.ts';
import { currentUser, defineResource, own } from '../../resource/index.ts';
import { checkNewStatus, createWithActivity, updateWithActivity } from './activity.ts';
import { defineRequestThread } from './thread.ts';

/** Move requests. */
export const MoveRequest = defineResource('MoveRequest', {
  words: { title: 'title' },
  scope: 'move_requests',
  fields: {
    title: {},
    description: {},
    priority: { ignoreCase: true },
    scheduledDate: {},
    fromLocation: {},
    toLocation: {},
    status: {},
    assignedTo: {},
    createdBy: { readOnly: true, default: currentUser },
    completedAt: { readOnly: true },
  },
  list: {
    search: ['title', 'description'],
    measures: {
      resolutionHours: { description: 'Hours from creation to completion.', hours: ['createdAt', 'completedAt'] },
    },
  },
  access: {
    actions: ['list', 'read', 'create', 'update', 'replace', 'delete'],
    delete: own('createdBy', { except: admins }),
  },
  graphql: { relations: ['assignee', 'creator'] },
  rest: { path: '/move-requests' },
  hooks: { validate: checkNewStatus, resolveInput: { create: createWithActivity, update: updateWithActivity } },
});

/** The comments, watchers, time logs and activity of move requests. */
export const moveRequestThread = defineRequestThread(MoveRequest, 'moveRequestId');
