import { resource } from '../resource/define.ts';
import { rules } from '../resource/validate.ts';

/** Documents (spec §4, Documents). */
resource('Document', {
  path: '/documents',
  scope: 'documents',
  fields: ['title', 'description', 'category', 'fileName', 'fileType', 'fileUrl', 'processingStatus'],
  input: ['title', 'description', 'category', 'fileName', 'fileType', 'fileUrl', 'processingStatus'],
  search: ['title', 'description', 'fileName'],
  filters: { status: 'processingStatus' },
  rules: { fileUrl: rules.url },
});
