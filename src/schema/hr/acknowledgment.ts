import { currentUser, defineResource, rules } from '../../resource/index.ts';

/** Who has read which HR document, once each: REST lists and adds them, GraphQL also corrects them. */
export const HrAcknowledgment = defineResource('HrAcknowledgment', {
  scope: 'hr',
  fields: {
    documentId: {},
    userId: { default: currentUser, unique: 'has acknowledged this document' },
    acknowledgedAt: {},
    ipAddress: { default: ({ context }) => context.ip, rule: rules.ip },
  },
  list: { search: ['ipAddress'] },
  graphql: { relations: ['document', 'user'] },
  rest: { path: '/hr/acknowledgments', actions: ['list', 'create'] },
});
