import { defineResource, rules } from '../../resource/index.ts';

/** HR documents. */
export const HrDocument = defineResource('HrDocument', {
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
  rest: { path: '/hr/documents' },
});
