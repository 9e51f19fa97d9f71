import { defineResource } from '../../resource/index.ts';

/** The company's users, read-only. */
export const User = defineResource('User', {
  scope: 'users',
  fields: { fullName: {}, email: {}, avatarUrl: {}, role: {} },
  list: { search: ['fullName', 'email'] },
  access: { actions: ['list', 'read'] },
  graphql: {
    relations: [
      'assignedServiceRequests',
      'createdServiceRequests',
      'assignedMoveRequests',
      'createdMoveRequests',
      'assignedAssets',
      'outgoingAssetTransfers',
      'incomingAssetTransfers',
      'assignedChecklists',
      'checklistCompletions',
      'timeClockRecords',
      'workspaceRecords',
      'hrAcknowledgments',
      'trainingCompletions',
      'notes',
      'stockAdjustments',
      'requisitions',
      'receivingRecords',
    ],
  },
  rest: { path: '/users' },
});
