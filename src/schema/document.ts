import { defineResource, rules } from '../resource/index.ts';

/** Documents. */
export const Document = defineResource('Document', {
  words: { title: 'title' },
  scope: 'documents',
  fields: {
    title: {},
    description: {},
    category: {},
    fileName: {},
    fileType: {},
    fileUrl: { rule: rules.url },
    processingStatus: {},
  },
  list: { search: ['title', 'description', 'fileName'] },
  rest: { path: '/documents', parameters: { status: 'processingStatus' } },
});
