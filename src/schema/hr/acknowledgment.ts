import { admins } from '../../auth/roles.ts';
import type { FieldErrors } from '../../errors.ts';
import { messages } from '../../input/index.ts';
import { currentUser, defineResource, own, readOnly, rules } from '../../resource/index.ts';

/** Acknowledgments of HR documents, one per user and document. */
export const HrAcknowledgment = defineResource('HrAcknowledgment', {
  scope: 'hr',
  fields: {
    documentId: {},
    userId: { default: currentUser, mayBeDeactivated: true, unique: 'has acknowledged this document' },
    acknowledgedAt: {},
    ipAddress: { default: ({ context }) => context.ip, rule: rules.ip },
  },
  list: { search: ['ipAddress'] },
  access: {
    write: [
      own('userId', { except: admins }),
      readOnly(['userId', 'acknowledgedAt', 'ipAddress', 'externalSource', 'externalId'], { except: admins }),
    ],
    update: readOnly(['documentId'], { except: admins }),
  },
  graphql: { relations: ['document', 'user'] },
  rest: { path: '/hr/acknowledgments' },
  hooks: {
    // The column is optional because of rows older than this rule.
    validate: ({ row: { documentId } }): FieldErrors => (documentId == null ? { documentId: messages.required } : {}),
  },
});
