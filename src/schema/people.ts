import { resource } from '../resource/define.ts';

/** The company's users, read-only (spec §4, Users and companies). */
export const User = resource('User', {
  path: '/users',
  scope: 'users',
  actions: ['list', 'read'],
  fields: ['fullName', 'email', 'avatarUrl', 'role'],
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
  search: ['fullName', 'email'],
});

/** The companies the caller may access, read-only: a token's own, or those that a person belongs to. Rows are of the active one alone. */
resource('Company', {
  path: '/companies',
  scope: 'companies',
  actions: ['list', 'read'],
  fields: ['name', 'slug'],
  relations: ['users', 'buildings'],
  search: ['name', 'slug'],
});
