import { admins } from '../../auth/roles.ts';
import { defineResource, only, rules } from '../../resource/index.ts';

/** HR documents. */
export const HrDocument = defineResource('HrDocument', {
  words: { title: 'title' },
  scope: 'hr',
  fields: {
    title: {},
    category: {},
    documentType: {},
    description: {},
    requiresAcknowledgment: {},
    fileUrl: { rule: rules.url },
    status: {},
  },
  list: { search: ['title', 'description'] },
  access: { write: only(admins) },
  rest: { path: '/hr/documents' },
});
