import { callerId } from '../context.ts';
import { resource } from '../resource/define.ts';
import { rules } from '../resource/validate.ts';

/** HR documents (spec §4, HR documents). */
resource('HrDocument', {
  path: '/hr/documents',
  scope: 'hr',
  fields: ['title', 'category', 'documentType', 'description', 'requiresAcknowledgment', 'fileUrl', 'status'],
  relations: ['acknowledgments'],
  input: ['title', 'category', 'documentType', 'description', 'requiresAcknowledgment', 'fileUrl', 'status'],
  search: ['title', 'description'],
  rules: { fileUrl: rules.url },
});

/** Who has read which HR document, once each: REST lists and adds them, GraphQL also corrects them. */
resource('HrAcknowledgment', {
  path: '/hr/acknowledgments',
  scope: 'hr',
  rest: ['list', 'create'],
  fields: ['documentId', 'userId', 'acknowledgedAt', 'ipAddress'],
  relations: ['document', 'user'],
  input: ['documentId', 'userId', 'acknowledgedAt', 'ipAddress'],
  search: ['ipAddress'],
  defaults: { userId: callerId, ipAddress: ({ ip }) => ip },
  rules: { ipAddress: rules.ip },
  taken: { documentId: {}, userId: { userId: 'has acknowledged this document' } },
});
