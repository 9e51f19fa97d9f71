import { admins } from '../../auth/roles.ts';
import { defineResource, only } from '../../resource/index.ts';
import { documentFields, documentHooks } from '../files/document-file.ts';

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
    ...documentFields,
    status: {},
  },
  list: { search: ['title', 'description'] },
  access: { write: only(admins) },
  rest: { path: '/hr/documents' },
  hooks: documentHooks,
});
