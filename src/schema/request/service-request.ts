import { admins } from '../../auth/roles.ts';
import { currentUser, defineResource, own } from '../../resource/index.ts';
import { checkNewStatus, createWithActivity, updateWithActivity } from './activity.ts';
import { locationInput } from './location.ts';
import { defineRequestThread } from './thread.ts';

/** Service requests. */
export const ServiceRequest = defineResource('ServiceRequest', {
  words: { title: 'title' },
  scope: 'service_requests',
  fields: {
    title: {},
    description: {},
    status: {},
    priority: { ignoreCase: true },
    category: {},
    assignedTo: {},
    createdBy: { readOnly: true, default: currentUser },
    buildingId: {},
    floor: {},
    room: {},
    completedAt: { readOnly: true },
  },
  list: {
    search: ['title', 'description'],
    pageSize: 50,
    measures: {
      resolutionHours: { description: 'Hours from creation to completion.', hours: ['createdAt', 'completedAt'] },
      ageDays: { description: 'Days since creation, also of completed ones.', days: ['createdAt', 'now'] },
    },
  },
  access: {
    actions: ['list', 'read', 'create', 'update', 'replace', 'delete'],
    delete: own('createdBy', { except: admins }),
  },
  graphql: { relations: ['assignee', 'creator', 'building'], extraInput: locationInput },
  rest: { path: '/service-requests' },
  hooks: { validate: checkNewStatus, resolveInput: { create: createWithActivity, update: updateWithActivity } },
});

/** The comments, watchers, time logs and activity of service requests. */
export const serviceRequestThread = defineRequestThread(ServiceRequest, 'serviceRequestId');
